package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.SUPPLIER;
import static io.waybill.examples.social.source.Source.STATUS;

import org.bson.Document;

/** Suppliers and their verification. */
public final class Suppliers {
    private final Source source;

    public Suppliers(Source source) {
        this.source = source;
    }

    public String create(String name) {
        String id = Source.newId();
        Document data = new Document("name", name).append(STATUS, "NEW");
        source.create(SUPPLIER, id, new Document(data).append(Source.CREATED_AT, Source.now()), data);
        return id;
    }

    public void submitVerification(String id) {
        set(id, "verification_submitted", new Document(STATUS, "SUBMITTED"));
    }

    public void verify(String id) {
        set(id, "verified", new Document(STATUS, "VERIFIED"));
    }

    public void updateProfile(String id, String name) {
        set(id, "profile_updated", new Document("name", name));
    }

    private void set(String id, String action, Document fields) {
        source.change(SUPPLIER, id, action, supplier -> {
            supplier.putAll(fields);
            return fields;
        });
    }
}

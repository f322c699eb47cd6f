package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.PROMOTION;
import static io.waybill.examples.social.source.Source.STATUS;

import java.util.List;
import org.bson.Document;

/** Promotions of a supplier's product in a community. */
public final class Promotions {
    private final Source source;

    public Promotions(Source source) {
        this.source = source;
    }

    public String create(String supplier, String product, String community, String title) {
        String id = Source.newId();
        Document data = new Document("supplier_id", supplier)
                .append("product_id", product)
                .append("community_id", community)
                .append("title", title);
        Document promotion = new Document(data)
                .append(STATUS, "DRAFT")
                .append("impression_count", 0L)
                .append("clicked_count", 0L)
                .append("converted_count", 0L)
                .append(Source.CREATED_AT, Source.now());
        source.create(PROMOTION, id, promotion, data);
        return id;
    }

    /** The steps from the draft to the activation, in order: the actions and the status after each of them. */
    public static List<List<String>> launch() {
        return List.of(
                List.of("submitted", "SUBMITTED"),
                List.of("approved_admin", "APPROVED_BY_ADMIN"),
                List.of("approved_leader", "APPROVED"),
                List.of("scheduled", "SCHEDULED"),
                List.of("activated", "ACTIVE"));
    }

    public void move(String id, String action, String status) {
        source.change(
                PROMOTION,
                id,
                action,
                promotion ->
                        new Document("previous_status", promotion.put(STATUS, status)).append("new_status", status));
    }

    public void pause(String id) {
        move(id, "paused", "PAUSED");
    }

    public void resume(String id) {
        move(id, "resumed", "ACTIVE");
    }

    public void end(String id) {
        move(id, "ended", "ENDED");
    }

    /** @param action {@code impression}, {@code clicked} or {@code converted} */
    public void count(String id, String action) {
        source.change(PROMOTION, id, action, promotion -> {
            String field = action + "_count";
            long count = promotion.getLong(field) + 1;
            promotion.put(field, count);
            return new Document(field, count);
        });
    }
}

package io.waybill.examples.social.projection;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Projections.include;

import com.mongodb.client.ClientSession;
import io.waybill.Event;
import io.waybill.examples.social.source.Source;
import io.waybill.inbox.InboxStore;
import java.util.function.BiConsumer;
import org.bson.Document;

/**
 * Copies entities of the source into a read model, each in a transaction of its own, which also stores the version for the version
 * guard. Events up to this version are stale from then on; later ones are applied.
 */
final class SourceCopy {
    private final Source source;
    private final InboxStore<ClientSession> inbox;
    private final String group;

    SourceCopy(Source source, InboxStore<ClientSession> inbox, String group) {
        this.source = source;
        this.inbox = inbox;
        this.group = group;
    }

    void each(String entity, BiConsumer<ClientSession, Document> copy) {
        for (Document found : source.collection(entity).find().projection(include("_id"))) {
            String id = found.getString("_id");
            inbox.transaction("copy " + entity + " " + id, session -> {
                Document stored =
                        source.collection(entity).find(session, eq("_id", id)).first();
                if (stored != null && advance(session, entity, stored)) {
                    copy.accept(session, stored);
                }
                return id;
            });
        }
    }

    private boolean advance(ClientSession session, String entity, Document stored) {
        Event key = Event.of(entity + ".copied", entity, stored.getString("_id"), "{}");
        return inbox.advance(session, group, InboxStore.qualifiedKey(key), stored.getLong(Source.VERSION));
    }
}

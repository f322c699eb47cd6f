package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.setOnInsert;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.inbox.Effects;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Records completed effects. Each is recorded outside of the handler's transaction, so that it stays when the handler rolls back. */
final class EffectDocuments {
    private static final int MAX_NAME_LENGTH = 200;

    private final MongoTransactions database;
    private final MongoCollection<Document> effects;

    EffectDocuments(MongoTransactions database) {
        this.database = database;
        this.effects = database.collection(Collections.EFFECTS);
    }

    Effects of(String group) {
        return (event, name, effect) -> once(group, event, name, effect);
    }

    private boolean once(String group, Event event, String name, Effects.Effect effect) throws Exception {
        // Checked before the effect runs, because an effect with a longer name could not be recorded afterwards.
        if (name.length() > MAX_NAME_LENGTH) {
            throw new WaybillException("The name of an effect may have at most " + MAX_NAME_LENGTH + " characters, not "
                    + name.length() + ": " + name.substring(0, 40)
                    + "… Shorten it; it need not contain the event's id, which is part of the effect's key.");
        }
        String key = group + "/" + event.id() + "/" + name;
        Bson one = and(eq(InboxFields.GROUP, group), eq(InboxFields.EFFECT_KEY, key));
        boolean done =
                database.call("look for effect " + key, () -> effects.find(one).first() != null);
        if (done) {
            return false;
        }
        effect.perform(key);
        database.call(
                "record effect " + key,
                () -> effects.updateOne(
                        one,
                        combine(
                                setOnInsert(InboxFields.EVENT_ID, event.id().toString()),
                                currentDate(InboxFields.DONE_AT)),
                        new UpdateOptions().upsert(true)));
        return true;
    }

    /** Removes old effects. Those of held events and of dead letters stay, because their handlers may run again. */
    void prune(String group, Date before, int limit) {
        List<Document> old = effects.find(and(eq(InboxFields.GROUP, group), lt(InboxFields.DONE_AT, before)))
                .sort(ascending(InboxFields.DONE_AT))
                .into(new ArrayList<>());
        Set<String> kept = new HashSet<>();
        List<String> events = old.stream()
                .map(effect -> effect.getString(InboxFields.EVENT_ID))
                .toList();
        for (String collection : List.of(Collections.HELD, Collections.DEAD_LETTERS)) {
            database.collection(collection)
                    .distinct(
                            InboxFields.EVENT_ID,
                            and(eq(InboxFields.GROUP, group), in(InboxFields.EVENT_ID, events)),
                            String.class)
                    .into(kept);
        }
        List<Object> removed = old.stream()
                .filter(effect -> !kept.contains(effect.getString(InboxFields.EVENT_ID)))
                .limit(limit)
                .map(effect -> effect.get("_id"))
                .toList();
        if (!removed.isEmpty()) {
            effects.deleteMany(in("_id", removed));
        }
    }
}

package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.inbox.Effects;
import io.waybill.jdbc.internal.sql.Transactions;

/** Records completed effects. Each has a transaction of its own, so that it stays recorded when the handler rolls back. */
final class EffectTable implements Effects {
    private static final int MAX_NAME_LENGTH = 200;

    private final Transactions database;
    private final String group;

    EffectTable(Transactions database, String group) {
        this.database = database;
        this.group = group;
    }

    @Override
    public boolean once(Event event, String name, Effect effect) throws Exception {
        // Checked before the effect runs, because an effect with a longer name could not be recorded afterwards.
        if (name.length() > MAX_NAME_LENGTH) {
            throw new WaybillException("The name of an effect may have at most " + MAX_NAME_LENGTH + " characters, not "
                    + name.length() + ": " + name.substring(0, 40)
                    + "… Shorten it; it need not contain the event's id, which is part of the effect's key.");
        }
        String key = group + "/" + event.id() + "/" + name;
        boolean done = database.query(
                "look for effect " + key,
                connection -> InboxStatement.exists(
                        connection,
                        "look for effect " + key,
                        "SELECT 1 FROM inbox_effects WHERE consumer_group = ? AND effect_key = ?",
                        group,
                        key));
        if (done) {
            return false;
        }
        effect.perform(key);
        database.transaction(
                "record effect " + key,
                connection -> InboxStatement.insert(
                        connection,
                        "record effect " + key,
                        "INSERT INTO inbox_effects (consumer_group, effect_key) VALUES (?, ?)",
                        group,
                        key));
        return true;
    }
}

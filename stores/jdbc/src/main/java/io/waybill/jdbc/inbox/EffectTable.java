package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.inbox.Effects;
import io.waybill.jdbc.internal.sql.Transactions;

/** Effects that were carried out, each recorded in a transaction of its own, which the handler's rollback does not touch. */
final class EffectTable implements Effects {
    private static final int LONGEST_NAME = 200;

    private final Transactions database;
    private final String group;

    EffectTable(Transactions database, String group) {
        this.database = database;
        this.group = group;
    }

    @Override
    public boolean once(Event event, String name, Effect effect) throws Exception {
        if (name.length() > LONGEST_NAME) { // refused before it happens: afterwards it could not be recorded
            throw new WaybillException("The name of an effect may have " + LONGEST_NAME + " characters, not "
                    + name.length() + ": " + name.substring(0, 40) + "… The event's id is part of its key already.");
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

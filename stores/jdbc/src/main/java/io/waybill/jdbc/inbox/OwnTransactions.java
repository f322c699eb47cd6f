package io.waybill.jdbc.inbox;

import io.waybill.inbox.InboxStore;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;

/** A new transaction for each piece of work. */
record OwnTransactions(Transactions database) implements WorkTransactions {
    @Override
    public boolean isJoined() {
        return false;
    }

    @Override
    public <R> R run(String what, InboxStore.Work<Connection, R> work, Runnable rolledBack) {
        return database.once(what, work::in);
    }
}

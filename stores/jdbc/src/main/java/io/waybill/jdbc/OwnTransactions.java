package io.waybill.jdbc;

import io.waybill.inbox.InboxStore;
import java.sql.Connection;

/** A new transaction for each piece of work. */
record OwnTransactions(Database database) implements WorkTransactions {
    @Override
    public boolean isJoined() {
        return false;
    }

    @Override
    public <R> R run(String what, InboxStore.Work<Connection, R> work, Runnable rolledBack) {
        return database.once(what, work::in);
    }
}

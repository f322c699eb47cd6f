package io.waybill.spring.internal.inbox;

import io.waybill.Outbox;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxView;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.spring.internal.start.SchemaAtStart;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;

/** The inbox in the application's DataSource. */
record JdbcStoredInbox(
        DataSource dataSource,
        SchemaAtStart schema,
        JdbcInbox tables,
        JdbcOutbox jdbcOutbox,
        ObjectProvider<PlatformTransactionManager> transactions)
        implements StoredInbox<Connection> {
    @Override
    public Class<Connection> transactionType() {
        return Connection.class;
    }

    @Override
    public InboxView view() {
        return tables.view();
    }

    @Override
    public InboxDeadLetters deadLetters() {
        return tables.deadLetters();
    }

    @Override
    public Outbox<Connection> outbox() {
        return jdbcOutbox;
    }

    @Override
    public InboxBuilder<Connection> builder(String group) {
        schema.inbox();
        return Inbox.builder(tables.store(), group).transactions(NewTransactions.of(dataSource, transactions, "inbox"));
    }
}

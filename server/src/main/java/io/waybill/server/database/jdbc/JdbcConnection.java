package io.waybill.server.database.jdbc;

import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.saga.admin.SagaActions;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxConnection;
import io.waybill.store.OutboxStore;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** The outbox on one {@link DataSource}. */
record JdbcConnection(
        JdbcDatabase database, DataSource source, JdbcEngine outbox, Supplier<List<String>> problems, Runnable onClose)
        implements OutboxConnection {
    @Override
    public OutboxStore store() {
        return outbox.store();
    }

    @Override
    public OutboxView view() {
        return outbox.view();
    }

    @Override
    public DeadLetters deadLetters() {
        return outbox.deadLetters();
    }

    @Override
    public void ping() {
        database.ping(source);
    }

    @Override
    public List<String> relayProblems() {
        return problems.get();
    }

    @Override
    public Optional<OutboxSearch> search() {
        return Optional.of(outbox.search());
    }

    @Override
    public Optional<OutboxActions> actions() {
        return Optional.of(outbox.actions());
    }

    @Override
    public Optional<BulkOperations> bulk() {
        return Optional.of(outbox.bulk());
    }

    @Override
    public Optional<InboxOperations> inbox() {
        return InboxSchema.problems(source).isEmpty()
                ? Optional.of(JdbcDatabase.operations(JdbcInbox.on(source)))
                : Optional.empty();
    }

    @Override
    public Optional<SagaActions> sagas() {
        return SagaSchema.isInstalled(source) && SagaSchema.problems(source).isEmpty()
                ? Optional.of(SagaActions.on(JdbcSagaStore.on(source)))
                : Optional.empty();
    }

    @Override
    public void close() {
        onClose.run();
    }
}

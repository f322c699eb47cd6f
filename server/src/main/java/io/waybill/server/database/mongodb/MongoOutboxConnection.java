package io.waybill.server.database.mongodb;

import com.mongodb.client.MongoClient;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.mongodb.MongoOutboxStore;
import io.waybill.mongodb.inbox.InboxSchema;
import io.waybill.mongodb.inbox.MongoInbox;
import io.waybill.saga.admin.SagaActions;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxConnection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The outbox on one client. */
final class MongoOutboxConnection implements OutboxConnection {
    private final MongoOutboxDatabase database;
    private final MongoClient client;
    private final MongoOutboxStore store;
    private final Supplier<List<String>> problems;
    private final Runnable close;

    MongoOutboxConnection(
            MongoOutboxDatabase database, MongoClient client, Supplier<List<String>> problems, Runnable close) {
        this.database = database;
        this.client = client;
        this.store = MongoOutboxStore.on(client, database.name());
        this.problems = problems;
        this.close = close;
    }

    @Override
    public MongoOutboxStore store() {
        return store;
    }

    @Override
    public OutboxView view() {
        return store.view();
    }

    @Override
    public DeadLetters deadLetters() {
        return store.deadLetters();
    }

    @Override
    public void ping() {
        database.ping(client);
    }

    @Override
    public List<String> relayProblems() {
        return problems.get();
    }

    @Override
    public Optional<OutboxSearch> search() {
        return Optional.empty();
    }

    @Override
    public Optional<OutboxActions> actions() {
        return Optional.empty();
    }

    @Override
    public Optional<BulkOperations> bulk() {
        return Optional.empty();
    }

    @Override
    public Optional<InboxOperations> inbox() {
        if (!InboxSchema.problems(client, database.name()).isEmpty()) {
            return Optional.empty();
        }
        MongoInbox inbox = MongoInbox.on(client, database.name());
        return Optional.of(new InboxOperations(inbox.view(), inbox.deadLetters()));
    }

    @Override
    public Optional<SagaActions> sagas() {
        return Optional.empty();
    }

    @Override
    public void close() {
        close.run();
    }
}

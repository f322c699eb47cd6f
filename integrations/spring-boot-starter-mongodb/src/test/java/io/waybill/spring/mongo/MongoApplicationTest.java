package io.waybill.spring.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.IdempotencyKeys.Response;
import io.waybill.mongodb.MongoOutboxStore;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application on MongoDB: its changes, its events and the marks of its handlers commit together. */
@Timeout(660) // the first test may download DocumentDB
@SuppressWarnings("NullAway.Init") // JUnit calls start before the tests
class MongoApplicationTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    private static ConfigurableApplicationContext application;
    private static String name;
    private Shop.Orders orders;
    private Shop.Stock stock;
    private MongoDatabase database;

    @BeforeAll
    static void start() {
        String uri = SharedServers.mongoUri();
        name = SharedServers.freshMongoName();
        application = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.main.banner-mode=off",
                        "spring.mongodb.uri=" + uri,
                        "spring.mongodb.database=" + name,
                        "waybill.schema=apply",
                        "waybill.inbox.on-unknown-type=skip", // otherwise the events of the handler stay in the outbox
                        "waybill.inbox.retry.first-delay=100ms")
                .run();
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.getBean(MongoClient.class).getDatabase(name).drop();
            application.close();
        }
    }

    @BeforeEach
    void clear() {
        orders = application.getBean(Shop.Orders.class);
        stock = application.getBean(Shop.Stock.class);
        database = application.getBean(MongoClient.class).getDatabase(name);
        awaitDelivery();
        for (String collection : List.of("orders", "reservations", "counters", "outbox_events")) {
            database.getCollection(collection).deleteMany(new Document());
        }
        stock.calls().set(0);
    }

    private MongoCollection<Document> reservations() {
        return database.getCollection("reservations");
    }

    private static void awaitDelivery() {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(application
                                .getBean(MongoOutboxStore.class)
                                .view()
                                .status()
                                .pending())
                        .isZero());
    }

    private long events(String type) {
        return database.getCollection("outbox_events").countDocuments(new Document("event_type", type));
    }

    @Test
    void aChangeItsEventAndTheEffectOfItsHandlerHappenOnce() {
        orders.place("1");
        await().atMost(SOON).until(() -> reservations().countDocuments() == 1);
        awaitDelivery();
        assertThat(stock.calls()).hasValue(1);
        assertThat(events("order.placed")).isOne();
        assertThat(events("stock.reserved")).isOne();
        Document placed = event("order.placed");
        Document reserved = event("stock.reserved");
        assertThat(reserved.toString())
                .as("the event that a handler appends has the handled event as its cause")
                .contains(placed.getString("event_id"));
    }

    private Document event(String type) {
        Document found = database.getCollection("outbox_events")
                .find(new Document("event_type", type))
                .first();
        if (found == null) {
            throw new AssertionError("no event " + type);
        }
        return found;
    }

    @Test
    void aRolledBackTransactionLeavesNeitherChangeNorEvent() {
        assertThatThrownBy(() -> orders.placeAndFail("2")).hasMessage("no");
        assertThat(database.getCollection("orders").countDocuments()).isZero();
        assertThat(database.getCollection("outbox_events").countDocuments()).isZero();
    }

    @Test
    void anAppendThatCouldNotCommitWithTheChangeIsRefused() {
        assertThatThrownBy(() -> orders.placeAlone("3")).hasMessageContaining("no transaction is active");
        assertThatThrownBy(() -> orders.placeReadOnly("3")).hasMessageContaining("read-only");
        TransactionTemplate foreign = new TransactionTemplate(new OtherDatabase());
        assertThatThrownBy(() -> foreign.executeWithoutResult(status -> orders.placeAlone("3")))
                .hasMessageContaining("does not belong to the MongoDatabaseFactory");
        assertThat(database.getCollection("outbox_events").countDocuments()).isZero();
    }

    @Test
    void anAppendAfterTheCommitIsRefused() {
        TransactionTemplate transactions = new TransactionTemplate(
                application.getBean(org.springframework.data.mongodb.MongoTransactionManager.class));
        List<String> refusals = new java.util.ArrayList<>();
        transactions.executeWithoutResult(status ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        try {
                            orders.placeAlone("4");
                        } catch (RuntimeException e) {
                            refusals.add(String.valueOf(e.getMessage()));
                        }
                    }
                }));
        assertThat(refusals).hasSize(1).first().asString().contains("has already committed");
    }

    @Test
    void aFailedHandlerIsRetriedAndItsChangesRolledBack() {
        orders.place(Shop.Stock.FAILING);
        await().atMost(SOON).until(() -> reservations().countDocuments() == 1);
        awaitDelivery();
        assertThat(stock.calls()).hasValue(2);
        assertThat(counter()).isEqualTo(1);
        assertThat(events("stock.reserved")).isOne();
    }

    /** Another writer changes the document that the handler has read: MongoDB aborts the handler's transaction. */
    @Test
    void aHandlerWhoseTransactionConflictsRunsAgain() {
        database.getCollection("counters").insertOne(new Document("_id", "reservations").append("count", 0));
        orders.place(Shop.Stock.CONTENDED);
        await().atMost(SOON).until(() -> reservations().countDocuments() == 1);
        awaitDelivery();
        assertThat(stock.calls()).hasValue(2);
        assertThat(counter()).isEqualTo(1);
        assertThat(events("stock.reserved")).isOne();
    }

    private int counter() {
        Document found = database.getCollection("counters").find().first();
        return found == null ? 0 : found.getInteger("count", 0);
    }

    @Test
    void theWorkForAKeyJoinsTheTransactionOfTheCaller() throws Exception {
        IdempotencyKeys<ClientSession> keys = application
                .<IdempotencyKeys<ClientSession>>getBeanProvider(
                        ResolvableType.forClassWithGenerics(IdempotencyKeys.class, ClientSession.class))
                .getObject();
        for (int call = 1; call <= 2; call++) {
            Response response = keys.answer("orders", "key", "place 5", Duration.ofDays(1), session -> {
                orders.place("5");
                return new Response(201, "placed");
            });
            assertThat(response.status()).isEqualTo(201);
        }
        assertThat(database.getCollection("orders").countDocuments()).isOne();
        assertThat(events("order.placed")).isOne();
    }

    @Test
    void theHealthIsThatOfTheOutbox() {
        assertThat(application
                        .getBean("outboxHealthIndicator", HealthIndicator.class)
                        .health())
                .isNotNull()
                .satisfies(health -> assertThat(health.getStatus()).isEqualTo(Status.UP))
                .satisfies(health -> assertThat(health.getDetails()).containsEntry("liveRelays", 1L));
        assertThat(application.getBean(TransactionalOutbox.class)).isNotNull();
    }

    /** Transactions that have nothing to do with MongoDB. */
    private static final class OtherDatabase extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return "transaction";
        }

        @Override
        protected void doBegin(Object transaction, org.springframework.transaction.TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}

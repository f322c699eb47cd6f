package io.waybill.examples.social;

import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.embedded.DebianServer;
import io.waybill.embedded.LocalDocumentDb;
import io.waybill.embedded.mongo.MongoGateway;
import io.waybill.examples.social.projection.Projector;
import io.waybill.examples.social.source.Catalogue;
import io.waybill.mongodb.MongoOutbox;
import io.waybill.processes.ChildProcess;
import io.waybill.testkit.servers.NotRun;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole system over Kafka. All tests share a database, because the names of topics and groups are fixed. */
@Timeout(180)
@SuppressWarnings("NullAway.Init") // JUnit calls open before the tests
final class SystemTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    static Path folder;

    private static @Nullable LocalDocumentDb server;
    private static @Nullable MongoGateway gateway;
    private static String mongo;
    private static String database;
    private static String brokers;

    @BeforeAll
    @Timeout(660) // the first time, DocumentDB is downloaded
    static void open() {
        String given = System.getenv("MONGODB_URI");
        mongo = given == null || given.isBlank() ? documentDb() : given;
        database = SharedServers.freshMongoName();
        brokers = SharedServers.kafka().bootstrapServers();
    }

    /** A server of its own, because a test ends its transactions. */
    private static String documentDb() {
        DebianServer.DOCUMENTDB.obstacle().ifPresent(NotRun::because);
        LocalDocumentDb started = LocalDocumentDb.start(folder);
        server = started;
        MongoGateway gate = MongoGateway.start(started.jdbcUrl());
        gateway = gate;
        return gate.uri();
    }

    @AfterAll
    static void close() {
        if (gateway != null && server != null) {
            gateway.close();
            server.discard();
        } else if (mongo != null) {
            try (MongoClient client = MongoClients.create(mongo)) {
                client.getDatabase(database).drop();
            }
        }
    }

    /**
     * MongoDB and the gateway end a transaction 60 s after its client was killed. Until then it blocks writes and, on the gateway, new
     * clients that check the indexes. This ends it at once; a replica set is left alone.
     */
    private static void endTransactionsOfKilledClients() throws SQLException {
        if (server == null) {
            return;
        }
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'");
        }
    }

    private static SocialCommerce system() throws InterruptedException {
        return new SocialCommerce(mongo, database, brokers);
    }

    private static ChildProcess part(String name) {
        return ChildProcess.run(PartProgram.class, List.of(), name, mongo, database, brokers)
                .awaitStarted();
    }

    @Test
    void killedPartsLoseNoEventAndApplyNoneTwice() throws Exception {
        try (SocialCommerce system = system()) {
            try (ChildProcess producer = part("producer");
                    ChildProcess relay = part("relay");
                    ChildProcess projectors = part("projectors")) {
                awaitMore(system, "processed_events");
                projectors.kill();
                awaitMore(system, "outbox_events");
                relay.kill();
                producer.kill();
                endTransactionsOfKilledClients();
                try (ChildProcess nextRelay = part("relay");
                        ChildProcess nextProjectors = part("projectors")) {
                    assertThat(List.of(nextRelay.hasEnded(), nextProjectors.hasEnded()))
                            .containsOnly(false);
                    await().atMost(PATIENCE)
                            .pollInterval(Duration.ofMillis(500))
                            .untilAsserted(new ReadModels(system)::assertEqualSource);
                }
            }
        }
    }

    /** Waits until the collection has some more documents. */
    private static void awaitMore(SocialCommerce system, String collection) {
        long before = count(system, collection);
        await().atMost(PATIENCE).until(() -> count(system, collection) > before + 30);
    }

    private static long count(SocialCommerce system, String collection) {
        return system.models().getCollection(collection).countDocuments();
    }

    @Test
    void damagedReadModelsAreRebuiltFromTheTopicsAndFilledFromTheSource() throws Exception {
        try (SocialCommerce system = system()) {
            ReadModels models = new ReadModels(system);
            Stories stories = new Stories(system.source());
            stories.found();
            stories.order(2).forEach(Runnable::run);
            system.startRelay();
            system.startProjectors();
            await().atMost(PATIENCE).untilAsserted(models::assertEqualSource);

            damage(system, "user_cards");
            system.projector("user-cards").rebuild();
            await().atMost(PATIENCE).untilAsserted(models::assertUserCards);

            system.models().getCollection("order_funnel_daily").deleteMany(new Document());
            system.projector("order-funnel").rebuild();
            await().atMost(PATIENCE).untilAsserted(models::assertAnalytics);

            for (String model : List.of("user_cards", "feed_items", "order_summaries")) {
                damage(system, model);
            }
            for (String name : List.of("user-cards", "feed-builder", "order-summaries")) {
                system.projector(name).backfill();
            }
            models.assertEqualSource();
            stories.user().forEach(Runnable::run);
            stories.order(1).forEach(Runnable::run);
            await().atMost(PATIENCE).untilAsserted(models::assertEqualSource);

            Projector revenue = system.projector("revenue");
            assertThatThrownBy(revenue::backfill)
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContaining("Rebuild it from the topics");
        }
    }

    private static void damage(SocialCommerce system, String model) {
        system.models().getCollection(model).updateMany(new Document(), set("entity_version", 1_000L));
        system.models().getCollection(model).deleteOne(new Document());
    }

    @Test
    void aBrokenEventReachesTheArchiveOfDeadLetters() throws Exception {
        try (SocialCommerce system = system();
                MongoClient client = MongoClients.create(mongo)) {
            system.startRelay();
            system.startProjectors();
            Event broken = Event.builder("post.created", Catalogue.POST, "broken")
                    .topic(Catalogue.topic(Catalogue.POST))
                    .aggregateVersion(1)
                    .payload("{\"post_id\":\"broken\",\"title\":7}")
                    .build();
            try (var session = client.startSession()) {
                session.withTransaction(() -> {
                    MongoOutbox.in(client.getDatabase(database)).append(session, broken);
                    return true;
                });
            }
            ReadModels models = new ReadModels(system);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(models.row(
                                    "dlq_events", "event_id", broken.id().toString()))
                            .containsEntry("consumer_group", "sc-proj-feed-builder"));
        }
    }
}

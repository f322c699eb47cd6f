package io.waybill.mongodb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.waybill.Event;
import io.waybill.embedded.DebianServer;
import io.waybill.embedded.LocalDocumentDb;
import io.waybill.embedded.mongo.MongoGateway;
import io.waybill.relay.Relay;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.NotRun;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed, and connections that are cut during a commit. On a server of its own, because it is killed. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // JUnit calls start before the tests
final class MongoFaultsTest {
    private static final int KEYS = 4;
    private static final int EVENTS = 40;

    @TempDir
    static Path folder;

    private static LocalDocumentDb server;
    private static MongoGateway gateway;

    @BeforeAll
    @Timeout(660) // the first time, it is downloaded
    static void start() {
        DebianServer.DOCUMENTDB.obstacle().ifPresent(NotRun::because);
        server = LocalDocumentDb.start(folder);
        gateway = MongoGateway.start(server.jdbcUrl());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            gateway.close();
            server.discard();
        }
    }

    /** Writers and a relay work while the server is killed twice. */
    @Test
    void everyCommittedEventIsPublishedInOrderAlthoughTheServerIsKilled() throws Exception {
        try (MongoBackend backend = MongoBackend.on(gateway.uri())) {
            Recorder recorder = new Recorder();
            ExecutorService threads = Executors.newFixedThreadPool(KEYS);
            try (Relay relay = Relay.builder(backend.store(), recorder)
                    .lease(Duration.ofSeconds(5))
                    .build()) {
                relay.start();
                List<Future<?>> writers = new ArrayList<>();
                for (int k = 0; k < KEYS; k++) {
                    String key = "k" + k;
                    writers.add(threads.submit(() -> write(backend, key)));
                }
                for (int kills = 1; kills <= 2; kills++) {
                    int published = recorder.count() + 5;
                    await().atMost(Duration.ofSeconds(40)).until(() -> recorder.count() >= published);
                    server.kill();
                    server.restart();
                }
                for (Future<?> writer : writers) {
                    writer.get(60, TimeUnit.SECONDS);
                }
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() ->
                                assertThat(backend.view().status().pending()).isZero());
            }
            threads.shutdown();
            for (int k = 0; k < KEYS; k++) {
                assertThat(recorder.firstDeliveries("k" + k)).isEqualTo(committed(backend, "k" + k));
            }
        }
    }

    private static List<Long> committed(MongoBackend backend, String key) {
        Document aggregate = aggregates(backend).find(eq("_id", key)).first();
        if (aggregate == null) {
            throw new AssertionError("no aggregate " + key);
        }
        List<Long> versions = new ArrayList<>();
        for (long version = 1; version <= aggregate.getLong("version"); version++) {
            versions.add(version);
        }
        return versions;
    }

    private static MongoCollection<Document> aggregates(MongoBackend backend) {
        return backend.database().getCollection("aggregates");
    }

    private static void write(MongoBackend backend, String key) {
        aggregates(backend).insertOne(new Document("_id", key).append("version", 0L));
        int written = 0;
        while (written < EVENTS) {
            try (ClientSession session = backend.client().startSession()) {
                session.withTransaction(() -> change(backend, session, key));
                written++;
            } catch (MongoException unknown) {
                // Whether the transaction committed is unknown. The aggregate says so, see committed().
            }
        }
    }

    private static Document change(MongoBackend backend, ClientSession session, String key) {
        Document aggregate = aggregates(backend)
                .findOneAndUpdate(
                        session,
                        eq("_id", key),
                        inc("version", 1L),
                        new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER));
        if (aggregate == null) {
            throw new AssertionError("no aggregate " + key);
        }
        backend.outbox()
                .append(
                        session,
                        Event.builder("aggregate.changed", "Aggregate", key)
                                .aggregateVersion(aggregate.getLong("version"))
                                .build());
        return aggregate;
    }

    /** Every third commit does not reach the server, or its answer is lost. The driver and the store repeat the commit, which takes effect once. */
    @Test
    void aCommitWhoseAnswerIsLostTakesEffectOnce() {
        AtomicInteger commits = new AtomicInteger();
        ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
        try (TcpProxy proxy = TcpProxy.to(gateway.port());
                MongoBackend direct = MongoBackend.on(gateway.uri());
                MongoClient client = MongoClients.create(MongoClientSettings.builder()
                        .applyConnectionString(
                                new ConnectionString("mongodb://127.0.0.1:" + proxy.port() + "/?directConnection=true"))
                        .addCommandListener(new CommandListener() {
                            @Override
                            public void commandStarted(CommandStartedEvent event) {
                                if (event.getCommandName().equals("commitTransaction")) {
                                    disturb(proxy, commits.incrementAndGet() % 6, later);
                                }
                            }
                        })
                        .build())) {
            MongoOutbox outbox = MongoOutbox.in(client.getDatabase(direct.name()));
            for (int n = 0; n < EVENTS; n++) {
                Event event = Event.of("order.placed", "Order", "k" + n % KEYS, "{\"n\": " + n + "}");
                try (ClientSession session = client.startSession()) {
                    session.withTransaction(() -> {
                        outbox.append(session, event);
                        return event;
                    });
                }
            }
            List<String> published = new ArrayList<>();
            MongoOutboxStore store = MongoOutboxStore.on(client, direct.name());
            try (ManualRelay relay = new ManualRelay(store, "r1")) {
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    relay.publish()
                            .forEach(claimed -> published.add(claimed.event().payload()));
                    return direct.view().status().pending() == 0;
                });
            }
            assertThat(published).hasSize(EVENTS).doesNotHaveDuplicates();
            assertThat(commits).as("commits, with repeated ones").hasValueGreaterThan(EVENTS);
        }
        later.shutdownNow();
    }

    private static void disturb(TcpProxy proxy, int commit, ScheduledExecutorService later) {
        if (commit == 0) {
            proxy.cut();
            proxy.heal();
        } else if (commit == 3) {
            proxy.dropToClient();
            ScheduledFuture<?> unused = later.schedule(
                    () -> {
                        proxy.cut();
                        proxy.heal();
                    },
                    50,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Acknowledges every message and remembers it. */
    private static final class Recorder implements Transport {
        private final List<Message> messages = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void send(Message message, Delivery delivery) {
            messages.add(message);
            delivery.acknowledged();
        }

        int count() {
            return messages.size();
        }

        List<Long> firstDeliveries(String key) {
            Map<String, List<Long>> byKey = new LinkedHashMap<>();
            for (Message message : List.copyOf(messages)) {
                byKey.computeIfAbsent(message.key(), unused -> new ArrayList<>())
                        .add(Long.valueOf(message.headers().getOrDefault("aggregate-version", "0")));
            }
            return List.copyOf(new LinkedHashSet<>(byKey.getOrDefault(key, List.of())));
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }
}

package io.waybill.mongodb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import io.waybill.Event;
import io.waybill.embedded.DebianServer;
import io.waybill.embedded.LocalDocumentDb;
import io.waybill.embedded.mongo.MongoGateway;
import io.waybill.faults.history.Checker;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.History;
import io.waybill.faults.history.History.Result;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Written;
import io.waybill.testkit.servers.NotRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers append, commit and roll back while relays in processes of their own are killed, and then the server. The checker of histories
 * judges what arrived.
 */
@Timeout(660) // the first time, the server is downloaded
final class MongoHistoryTest {
    private static final int WRITERS = 3;
    private static final int TRANSACTIONS = 60;
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    static Path folder;

    private final History history = new History();

    @Test
    void noCommittedEventIsLostAndNoneIsOutOfOrderWhileRelaysAndTheServerAreKilled() throws Exception {
        DebianServer.DOCUMENTDB.obstacle().ifPresent(NotRun::because);
        LocalDocumentDb server = LocalDocumentDb.start(folder);
        try (MongoGateway gateway = MongoGateway.start(server.jdbcUrl());
                MongoBackend backend = MongoBackend.on(gateway.uri());
                SocketTopic topic = new SocketTopic()) {
            List<RelayProcess> relays = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
            try {
                relays.add(RelayProcess.start(gateway.uri(), backend.name(), topic.port()));
                relays.add(RelayProcess.start(gateway.uri(), backend.name(), topic.port()));
                List<Future<?>> writers = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    Random random = new Random(writer);
                    writers.add(threads.submit(() -> write(backend, random)));
                }
                for (int kill = 0; kill < 2; kill++) {
                    awaitMore(topic, 20);
                    relays.remove(0).kill();
                    relays.add(RelayProcess.start(gateway.uri(), backend.name(), topic.port()));
                }
                awaitMore(topic, 10);
                server.kill();
                server.restart();
                for (Future<?> writer : writers) {
                    writer.get(LONG.toSeconds(), TimeUnit.SECONDS);
                }
                await().atMost(LONG)
                        .ignoreExceptions()
                        .until(() -> backend.view().status().pending() == 0);
                Set<UUID> committed = committed(backend);
                await().atMost(LONG)
                        .until(() -> topic.delivered().stream()
                                .map(Delivered::id)
                                .collect(Collectors.toSet())
                                .containsAll(committed));
                HistoryVerdict verdict = Checker.check(history.attempts(), committed, topic.delivered(), Set.of());
                assertThat(verdict.violations()).as(verdict.numbers()).isEmpty();
                assertThat(verdict.unkept()).as(verdict.numbers()).isEmpty();
                assertThat(verdict.committed()).as(verdict.numbers()).isGreaterThan(TRANSACTIONS);
            } finally {
                relays.forEach(RelayProcess::close);
                threads.shutdownNow();
            }
        } finally {
            server.discard();
        }
    }

    /** Waits for more deliveries; returns at once when all writers have almost finished. */
    private void awaitMore(SocketTopic topic, int more) {
        int enough = topic.delivered().size() + more;
        await().atMost(LONG)
                .until(() -> topic.delivered().size() >= enough
                        || history.count(Result.OK) > WRITERS * TRANSACTIONS * 7 / 10);
    }

    private static MongoCollection<Document> accounts(MongoBackend backend) {
        return backend.database().getCollection("accounts");
    }

    /** The accounts say which transactions the database has committed. */
    private static Set<UUID> committed(MongoBackend backend) {
        Set<UUID> committed = new HashSet<>();
        accounts(backend)
                .find()
                .forEach(account ->
                        account.getList("events", String.class).forEach(id -> committed.add(UUID.fromString(id))));
        return committed;
    }

    /** One transaction in ten rolls back. */
    private void write(MongoBackend backend, Random random) {
        for (int n = 0; n < TRANSACTIONS; n++) {
            boolean commit = random.nextInt(10) > 0;
            String key = "account-" + random.nextInt(5);
            List<Written> written = new ArrayList<>();
            Result result = Result.UNKNOWN;
            try (ClientSession session = backend.client().startSession()) {
                session.startTransaction();
                try {
                    written.add(change(backend, session, key, n));
                } catch (MongoException e) { // a conflict, or the server was killed: nothing is committed
                    result = Result.FAIL;
                    continue;
                }
                if (commit) {
                    result = commit(session);
                } else {
                    session.abortTransaction();
                    result = Result.FAIL;
                }
            } catch (MongoException e) {
                // the result stays unknown
            } finally {
                history.tell(written, result);
            }
        }
    }

    private static Result commit(ClientSession session) {
        try {
            session.commitTransaction();
            return Result.OK;
        } catch (MongoException e) {
            return Result.UNKNOWN;
        }
    }

    private Written change(MongoBackend backend, ClientSession session, String key, int n) {
        UUID id = UUID.randomUUID();
        Document account = accounts(backend)
                .findOneAndUpdate(
                        session,
                        eq("_id", key),
                        combine(inc("changes", 1L), push("events", id.toString())),
                        new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER));
        if (account == null) {
            throw new AssertionError("no account " + key);
        }
        Written template = Written.of("account.changed", key, account.getLong("changes"), "change " + n, Map.of());
        Written event = new Written(id, template.type(), key, template.n(), template.payload(), template.headers());
        history.invoke(event);
        backend.outbox()
                .append(
                        session,
                        Event.builder(event.type(), "Account", key)
                                .id(id)
                                .aggregateVersion(event.n())
                                .payload(event.payload())
                                .build());
        return event;
    }
}

package io.waybill.embedded;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Sorts;
import io.waybill.embedded.mongo.MongoGateway;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The official MongoDB driver on DocumentDB, through the gateway. */
@Timeout(240)
@SuppressWarnings("NullAway.Init") // JUnit calls start before the tests
final class LocalDocumentDbTest {
    @TempDir
    static Path folder;

    private static LocalDocumentDb server;
    private static MongoGateway gateway;
    private static MongoClient client;

    @BeforeAll
    @Timeout(660) // the first time, it is downloaded
    static void start() {
        Missing.abortWithout(DebianServer.DOCUMENTDB);
        server = LocalDocumentDb.start(folder);
        gateway = MongoGateway.start(server.jdbcUrl());
        client = MongoClients.create(gateway.uri());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            client.close();
            gateway.close();
            server.close();
        }
    }

    private static MongoCollection<Document> collection(String name) {
        return client.getDatabase("check").getCollection(name);
    }

    @Test
    void aTransactionIsVisibleAfterItsCommitOnly() {
        MongoCollection<Document> parcels = collection("parcels");
        try (ClientSession session = client.startSession()) {
            session.startTransaction();
            parcels.insertOne(session, new Document("_id", 1));
            assertThat(parcels.countDocuments()).isZero();
            assertThat(parcels.countDocuments(session)).isEqualTo(1);
            session.abortTransaction();
            assertThat(parcels.countDocuments()).isZero();

            session.startTransaction();
            parcels.insertOne(session, new Document("_id", 1));
            session.commitTransaction();
            session.commitTransaction(); // a driver may repeat it
            assertThat(parcels.countDocuments()).isEqualTo(1);
        }
    }

    @Test
    void aWriteToADocumentThatHasChangedSinceTheSnapshotIsAConflict() {
        MongoCollection<Document> counters = collection("conflict");
        counters.insertOne(new Document("_id", 1).append("n", 0));
        try (ClientSession session = client.startSession()) {
            session.startTransaction();
            counters.find(session).first();
            counters.updateOne(eq("_id", 1), inc("n", 10));
            assertThatThrownBy(() -> counters.updateOne(session, eq("_id", 1), inc("n", 1)))
                    .isInstanceOfSatisfying(MongoException.class, e -> {
                        assertThat(e.getCode()).isEqualTo(112);
                        assertThat(e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
                                .isTrue();
                    });
            session.abortTransaction();
        }
    }

    @Test
    void aCursorReadsSeveralPagesInAndOutsideOfATransaction() {
        MongoCollection<Document> many = collection("many");
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            documents.add(new Document("_id", i).append("k", (i * 7) % 1_000));
        }
        many.insertMany(documents);
        List<Integer> sorted = new ArrayList<>();
        many.find().sort(Sorts.ascending("k")).batchSize(150).forEach(document -> sorted.add(document.getInteger("k")));
        assertThat(sorted).hasSize(1_000).isSorted();
        try (ClientSession session = client.startSession()) {
            session.startTransaction();
            assertThat(many.find(session).batchSize(150).into(new ArrayList<>()))
                    .hasSize(1_000);
            session.commitTransaction();
        }
    }

    /** A commit whose answer is lost is repeated by the driver, and counts once. */
    @Test
    void concurrentIncrementsAreExactAlsoWhenTheServerIsKilled() throws Exception {
        MongoCollection<Document> counters = collection("counters");
        counters.insertOne(new Document("_id", 1).append("n", 0));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<Integer>> done = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            done.add(threads.submit(() -> {
                int committed = 0;
                while (committed < 60) {
                    try (ClientSession session = client.startSession()) {
                        session.withTransaction(() -> counters.updateOne(session, eq("_id", 1), inc("n", 1)));
                        committed++;
                    }
                }
                return committed;
            }));
        }
        await().until(() -> counters.find().first().getInteger("n") > 20);
        server.kill();
        server.restart();
        int all = 0;
        for (Future<Integer> one : done) {
            all += one.get(100, TimeUnit.SECONDS);
        }
        threads.shutdown();
        assertThat(counters.find().first().getInteger("n")).isEqualTo(all);
    }
}

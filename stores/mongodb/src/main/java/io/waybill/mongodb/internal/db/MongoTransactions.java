package io.waybill.mongodb.internal.db;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.Document;

/**
 * Runs transactions. They read a snapshot of majority-committed data, and their commits are durable on a majority of the replica set.
 *
 * <p>A transaction that conflicts with another one is run again, and a commit whose result is unknown is repeated, as the drivers of
 * MongoDB prescribe, but no longer than {@link #RETRY_LIMIT}: the lease of a relay must not expire in the meantime.
 */
public final class MongoTransactions {
    private static final Duration RETRY_LIMIT = Duration.ofSeconds(10);
    private static final int MAX_PAUSE_MILLIS = 100;
    private static final WriteConcern DURABLE = WriteConcern.MAJORITY.withJournal(true);

    private static final TransactionOptions OPTIONS = TransactionOptions.builder()
            .readConcern(ReadConcern.SNAPSHOT)
            .readPreference(ReadPreference.primary())
            .writeConcern(DURABLE)
            .build();

    private final MongoClient client;
    private final MongoDatabase database;

    public MongoTransactions(MongoClient client, String database) {
        this.client = client;
        this.database = client.getDatabase(database)
                .withReadConcern(ReadConcern.MAJORITY)
                .withReadPreference(ReadPreference.primary())
                .withWriteConcern(DURABLE);
    }

    /** Work inside a transaction. */
    @FunctionalInterface
    public interface Work<R> {
        R in(ClientSession session);
    }

    public MongoCollection<Document> collection(String name) {
        return database.getCollection(name);
    }

    public MongoDatabase database() {
        return database;
    }

    /** Returns the time of the server. */
    public Instant now() {
        return call(
                "read the server's time",
                () -> client.getDatabase("admin")
                        .runCommand(new Document("hello", 1), ReadPreference.primary())
                        .getDate("localTime")
                        .toInstant());
    }

    /** Work outside of a transaction, each command for itself. */
    @FunctionalInterface
    public interface Call<R> {
        R run();
    }

    /** @throws StoreException when the database fails */
    public <R> R call(String what, Call<R> call) {
        try {
            return call.run();
        } catch (MongoException e) {
            throw MongoErrors.explain(what, e);
        }
    }

    /** Runs the work in a transaction, and runs it again after a conflict, also if the work has wrapped the driver's exception. */
    public <R> R run(String what, Work<R> work) {
        long end = System.nanoTime() + RETRY_LIMIT.toNanos();
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(work, end);
            } catch (RuntimeException e) {
                if (!MongoErrors.isTransient(e) || System.nanoTime() > end) {
                    throw MongoErrors.explain(what, e);
                }
            }
            pause(what, attempt);
        }
    }

    /** Runs the work in a transaction once. Returns empty if another transaction conflicts with it. */
    public <R> Optional<R> unlessConflict(String what, Work<Optional<R>> work) {
        try {
            return attempt(work, System.nanoTime() + RETRY_LIMIT.toNanos());
        } catch (MongoException e) {
            if (MongoErrors.isConflict(e)) {
                return Optional.empty();
            }
            throw MongoErrors.explain(what, e);
        }
    }

    private <R> R attempt(Work<R> work, long end) {
        try (ClientSession session = client.startSession()) {
            session.startTransaction(OPTIONS);
            R result;
            try {
                result = work.in(session);
            } catch (RuntimeException | Error e) {
                abort(session, e);
                throw e;
            }
            commit(session, end);
            return result;
        }
    }

    private static void abort(ClientSession session, Throwable cause) {
        try {
            session.abortTransaction();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private static void commit(ClientSession session, long end) {
        while (true) {
            try {
                session.commitTransaction();
                return;
            } catch (MongoException e) {
                if (!e.hasErrorLabel(MongoException.UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL)
                        || System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    private static void pause(String what, int attempt) {
        int longest = Math.min(MAX_PAUSE_MILLIS, 2 << Math.min(attempt, 10));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(1, longest + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("Interrupted while trying to " + what + " again after a conflict.", e);
        }
    }
}

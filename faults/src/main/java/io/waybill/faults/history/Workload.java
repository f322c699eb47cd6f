package io.waybill.faults.history;

import static java.util.Objects.requireNonNull;

import io.waybill.Outbox;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Threads that change business rows and append events in the same transaction, until they are stopped or
 * have made enough attempts. One of them uses plain SQL. While the database is down, they reconnect.
 */
public final class Workload implements AutoCloseable {
    private final History history;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final PendingBurst burst = new PendingBurst();
    private final List<Thread> threads = new ArrayList<>();

    private Workload(History history) {
        this.history = history;
    }

    public static Builder on(String jdbcUrl, Outbox<Connection> outbox, String eventType) {
        return new Builder(jdbcUrl, outbox, eventType);
    }

    public History history() {
        return history;
    }

    /** Makes the writers append this many big events of one key in their next transactions. */
    public void burst(int events, int shortest, int longest) {
        burst.begin(new Burst(events, shortest, longest));
    }

    /** Waits until the writers have made all attempts. */
    public void await() {
        for (Thread thread : threads) {
            try {
                thread.join(240_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (thread.isAlive()) {
                throw new IllegalStateException("Writer " + thread.getName() + " did not end within four minutes.");
            }
        }
    }

    /** Waits until each writer has finished its transaction. */
    public void stop() {
        stopped.set(true);
        await();
    }

    @Override
    public void close() {
        stop();
    }

    /** Options of a workload. All are optional. */
    public static final class Builder {
        final String jdbcUrl;
        final Outbox<Connection> outbox;
        final String eventType;
        int keys = 30;
        int writers = 4;
        long events = Long.MAX_VALUE;
        Duration pause = Duration.ofMillis(5);
        boolean synchronousCommit = true;
        long seed = 42;
        int first;

        @Nullable
        Append append;

        boolean headers = true;
        History history = new History();

        private Builder(String jdbcUrl, Outbox<Connection> outbox, String eventType) {
            this.jdbcUrl = requireNonNull(jdbcUrl, "jdbcUrl");
            this.outbox = requireNonNull(outbox, "outbox");
            this.eventType = requireNonNull(eventType, "eventType");
        }

        /** The number of keys (default 30). They are named {@code key-1} and so on. */
        public Builder keys(int keys) {
            this.keys = keys;
            return this;
        }

        public Builder writers(int writers) {
            this.writers = writers;
            return this;
        }

        /** The number of events of all writers together. By default writers run until they are closed. */
        public Builder events(long events) {
            this.events = events;
            return this;
        }

        /** The pause of each writer after a transaction (default 5 ms, which leaves time for the relay on a small machine). */
        public Builder pause(Duration pause) {
            this.pause = requireNonNull(pause, "pause");
            return this;
        }

        /** Whether writers wait until their commits are durable (default true). */
        public Builder synchronousCommit(boolean on) {
            this.synchronousCommit = on;
            return this;
        }

        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** The number of the first writer (default 0, which uses plain SQL). For writers in several processes. */
        public Builder firstWriter(int number) {
            this.first = number;
            return this;
        }

        /**
         * Sets how all writers append, for tables that are not Waybill's own.
         *
         * @param headers whether that table has a place for headers
         */
        public Builder append(Append append, boolean headers) {
            this.append = requireNonNull(append, "append");
            this.headers = headers;
            return this;
        }

        /** The history that the writers record to (default: a new one in memory). */
        public Builder history(History history) {
            this.history = requireNonNull(history, "history");
            return this;
        }

        public Workload start() {
            Workload workload = new Workload(history);
            AtomicLong left = new AtomicLong(events);
            for (int i = first; i < first + writers; i++) {
                Append usual = i == 0 ? Append.plainSql() : Append.through(outbox);
                Writer writer = new Writer(
                        this,
                        i,
                        append == null ? usual : append,
                        workload.history,
                        left,
                        workload.burst,
                        workload.stopped::get);
                Thread thread = new Thread(writer, "writer-" + i);
                thread.setDaemon(true);
                workload.threads.add(thread);
                thread.start();
            }
            return workload;
        }
    }
}

package io.waybill.relay;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.envelope.Envelope;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.LaneRequest;
import io.waybill.store.OutboxStore;
import io.waybill.time.Ticker;
import io.waybill.transport.Transport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link Relay}. Most applications set only the source of the envelope. */
public final class RelayBuilder {
    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final int DEFAULT_WORKERS = 8;
    public static final Duration DEFAULT_POLL_EVERY = Duration.ofMillis(2);
    public static final Duration DEFAULT_IDLE_LIMIT = Duration.ofMillis(50);
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);
    public static final Duration DEFAULT_EVENT_RETENTION = Duration.ofDays(7);

    /** Ten attempts over about three minutes. Attempts during an outage of the broker do not count. */
    public static final RetryPolicy DEFAULT_RETRY = new RetryPolicy(10, Duration.ofMillis(500), Duration.ofMinutes(1));

    private static final long SMALLEST_CLAIM = 256L << 10;

    private final OutboxStore store;
    private final Transport transport;
    private @Nullable String name;
    private Envelope envelope = Envelope.standard("waybill");
    private int batchSize = DEFAULT_BATCH_SIZE;
    private int workers = DEFAULT_WORKERS;
    private long claimBytes;
    private int relaysInProcess = 1;
    private Duration pollEvery = DEFAULT_POLL_EVERY;
    private Duration idleLimit = DEFAULT_IDLE_LIMIT;
    private Duration lease = DEFAULT_LEASE;
    private RetryPolicy retry = DEFAULT_RETRY;
    private OnDeadLetter onDeadLetter = OnDeadLetter.CONTINUE;
    private Duration retention = DEFAULT_EVENT_RETENTION;
    private Duration stopLimit = Duration.ofSeconds(20);
    private RelayListener listener = RelayListener.NONE;
    private Ticker ticker = Ticker.SYSTEM;

    RelayBuilder(OutboxStore store, Transport transport) {
        this.store = requireNonNull(store, "store");
        this.transport = requireNonNull(transport, "transport");
    }

    /** The name of the relay; a random suffix makes it unique. Default: host name and process id. */
    public RelayBuilder name(String name) {
        this.name = requireNonNull(name, "name");
        return this;
    }

    public RelayBuilder envelope(Envelope envelope) {
        this.envelope = requireNonNull(envelope, "envelope");
        return this;
    }

    /** Maximum number of events that a lane claims at once (default 500). Lanes that share a batch claim an eighth of it each. */
    public RelayBuilder batchSize(int events) {
        this.batchSize = events;
        return this;
    }

    /**
     * Number of lanes served in parallel (default 8). Each worker sometimes uses a database connection, and the relay uses up to
     * three more. A smaller pool works, but if the database hangs, the heartbeat might not get a connection.
     */
    public RelayBuilder workers(int threads) {
        this.workers = threads;
        return this;
    }

    /**
     * Maximum size of the payloads of one claim, in bytes; the last event of a claim may exceed it. Default: a sixteenth of the
     * heap, divided by the number of workers and of {@link #relaysInProcess}, at least 256 kB and at most 32 MB.
     */
    public RelayBuilder claimBytes(long bytes) {
        if (bytes < 1) {
            throw new WaybillException("claim bytes must be 1 or more, not " + bytes + ".");
        }
        this.claimBytes = bytes;
        return this;
    }

    /** Number of relays that share the heap of this process (default 1). */
    public RelayBuilder relaysInProcess(int relays) {
        if (relays < 1) {
            throw new WaybillException("relays in this process must be 1 or more, not " + relays + ".");
        }
        this.relaysInProcess = relays;
        return this;
    }

    /** Pause between polls while events are found (default 2 ms). A busy lane does not wait. */
    public RelayBuilder pollEvery(Duration interval) {
        this.pollEvery = requireNonNull(interval, "interval");
        return this;
    }

    /** Longest pause between polls when no event is found (default 50 ms: twenty small queries per second). */
    public RelayBuilder idleLimit(Duration longestPause) {
        this.idleLimit = requireNonNull(longestPause, "longestPause");
        return this;
    }

    /** How long a relay that has stopped renewing its leases keeps its lanes (default 10 s). */
    public RelayBuilder lease(Duration lease) {
        this.lease = requireNonNull(lease, "lease");
        return this;
    }

    public RelayBuilder retry(RetryPolicy policy) {
        this.retry = requireNonNull(policy, "policy");
        return this;
    }

    public RelayBuilder onDeadLetter(OnDeadLetter decision) {
        this.onDeadLetter = requireNonNull(decision, "decision");
        return this;
    }

    /** How long published events are kept (default 7 days). */
    public RelayBuilder retention(Duration age) {
        this.retention = requireNonNull(age, "age");
        return this;
    }

    /** Longest wait for acknowledgements when the relay is closed (default 20 s). */
    public RelayBuilder stopLimit(Duration limit) {
        this.stopLimit = requireNonNull(limit, "limit");
        return this;
    }

    public RelayBuilder listener(RelayListener listener) {
        this.listener = requireNonNull(listener, "listener");
        return this;
    }

    /** Replaces the monotonic clock, for tests. */
    public RelayBuilder ticker(Ticker ticker) {
        this.ticker = requireNonNull(ticker, "ticker");
        return this;
    }

    public Relay build() {
        if (batchSize < 1 || batchSize > 10_000) {
            throw new WaybillException("batch size must be between 1 and 10000, not " + batchSize + ".");
        }
        if (workers < 1 || workers > 64) {
            throw new WaybillException("workers must be between 1 and 64, not " + workers + ".");
        }
        positive("poll interval", pollEvery);
        positive("retention", retention);
        positive("stop limit", stopLimit);
        if (idleLimit.compareTo(pollEvery) < 0) {
            throw new WaybillException(
                    "The idle limit " + idleLimit + " must not be below the poll interval " + pollEvery + ".");
        }
        if (lease.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new WaybillException("The lease must be one second or longer, not " + lease + ".");
        }
        RelaySettings settings = new RelaySettings(
                RelayIdentity.uniqueName(name == null ? RelayIdentity.defaultName() : name),
                envelope,
                batchSize,
                workers,
                claimBytes > 0
                        ? claimBytes
                        : defaultClaimBytes(Runtime.getRuntime().maxMemory() / relaysInProcess, workers),
                pollEvery,
                idleLimit,
                lease,
                retry,
                onDeadLetter,
                retention,
                stopLimit,
                listener,
                ticker);
        return new Relay(store, transport, settings);
    }

    /**
     * An event can be in memory four times: as received from the database, as text, as a message, and in the client of the broker.
     * With this limit all workers together use at most a quarter of the heap.
     *
     * @param heap the share of this relay
     */
    static long defaultClaimBytes(long heap, int workers) {
        return Math.max(SMALLEST_CLAIM, Math.min(LaneRequest.DEFAULT_BYTES, heap / 16 / workers));
    }

    private static void positive(String what, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new WaybillException("The " + what + " must be positive, not " + value + ".");
        }
    }
}

package io.waybill.server.daemon;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.waybill.WaybillException;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.BulkRunner;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.internal.LogText;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.Engine;
import io.waybill.micrometer.OutboxGauges;
import io.waybill.micrometer.RelayMetrics;
import io.waybill.micrometer.SagaGauges;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayListener;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.known.Databases;
import io.waybill.server.http.outbox.HealthCheck;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.store.StoreException;
import io.waybill.store.StoreReplacedException;
import io.waybill.time.Ticker;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One outbox that this process serves: its relay, its connections, its metrics, and its views for operators.
 *
 * <p>If the outbox cannot be opened, {@link #open} throws the reason, and {@link #keepOpen} logs the reason and retries until the
 * outbox can be served. An opened outbox survives outages of its database and its broker.
 */
final class OutboxRelay implements ConsoleOutbox.Current, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration REMIND = Duration.ofMinutes(5);

    /**
     * The objects that exist while the outbox is open. Closing the parts stops the relay first.
     *
     * @param limited connections for metrics, with a short time limit for each statement
     * @param console connections for operators
     */
    private record Opened(
            Closeables parts,
            Health health,
            Engine engine,
            OutboxConnection limited,
            OutboxConnection console,
            Relay relay) {}

    private final Route route;
    private final Transport transport;
    private final int outboxes;
    private final RelayMetrics metrics;
    private final RelayListener listener;
    private final OutboxGauges gauges;
    private final SagaGauges sagas;
    private final ServedOutbox served;
    private final CompletableFuture<WaybillException> ended = new CompletableFuture<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Optional<OutboxThreads> threads;
    private volatile @Nullable Function<Route, OutboxTables> prepare;
    private volatile @Nullable Opened opened;
    private volatile String problem = "The outbox is not open yet.";

    /** @param outboxes the number of outboxes in this process, which share its memory */
    OutboxRelay(Route route, Transport transport, MeterRegistry registry, Traces traces, int outboxes) {
        this.route = route;
        this.transport = transport;
        this.outboxes = outboxes;
        this.served = new ConsoleOutbox(route, this);
        this.threads = name().map(OutboxThreads::new);
        Tags tags = name().map(name -> Tags.of("outbox", name)).orElseGet(Tags::empty);
        this.metrics = RelayMetrics.on(registry, tags);
        this.listener = traces.with(metrics, route.broker().kind());
        this.gauges = OutboxGauges.of(new CurrentView(), tags);
        gauges.bindTo(registry);
        this.sagas = SagaGauges.ofOptional(() -> require().limited().sagas().map(SagaActions::view), tags);
        sagas.bindTo(registry);
    }

    /**
     * Throws a problem for relay settings that contradict each other. This check does not need the store, which is not known
     * before the database answers.
     */
    void requireSettings() {
        Daemon.relay(configuration(), new UnopenedStore(), transport, RelayListener.NONE);
    }

    /** Starts the relay. */
    void open(OutboxTables tables) {
        Closeables parts = new Closeables();
        try {
            OutboxConnection pool = parts.add(tables.pool(configuration().get(Settings.DATABASE_POOL_SIZE)));
            // The checks do not use the pool of the relay, whose connections may all be waiting for the checked server.
            OutboxConnection limited = parts.add(tables.withTimeout(Health.LIMIT));
            OutboxConnection console = parts.add(tables.console());
            Health health = parts.add(new Health(tables, limited, transport));
            Relay relay = parts.add(Daemon.relay(configuration(), pool.store(), transport, listener, builder -> {
                builder.relaysInProcess(outboxes);
                builder.ticker(ticker());
            }));
            console.bulk()
                    .map(bulk -> new BulkRunner(bulk, relay.name(), ticker()))
                    .map(parts::add)
                    .ifPresent(BulkRunner::start);
            start(new Opened(parts, health, tables.engine(), limited, console, relay));
        } catch (RuntimeException | Error e) {
            parts.close();
            throw e;
        }
    }

    private Ticker ticker() {
        return threads.<Ticker>map(named -> named).orElse(Ticker.SYSTEM);
    }

    private synchronized void start(Opened now) {
        if (isStopping()) {
            now.parts().close();
            return;
        }
        opened = now;
        now.relay().ended().thenAccept(reason -> relayEnded(now, reason));
        now.relay().start();
    }

    /**
     * Opens the outbox on a thread of its own. Opens it again if its relay ends and the reason does not concern the whole
     * process, for example after the tables were replaced.
     *
     * @param prepare connects and checks the tables
     */
    void keepOpen(Function<Route, OutboxTables> prepare) {
        this.prepare = prepare;
        tryToOpen(prepare, Duration.ZERO);
    }

    private void tryToOpen(Function<Route, OutboxTables> prepared, Duration firstPause) {
        threads.orElseThrow().start("waybill-open", () -> {
            try {
                retryUntilOpen(prepared, firstPause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Error e) {
                ended.complete(new WaybillException("Cannot open outbox " + name().orElse("") + ": " + e, e));
                throw e;
            }
        });
    }

    private void retryUntilOpen(Function<Route, OutboxTables> prepared, Duration firstPause)
            throws InterruptedException {
        Duration pause = firstPause;
        long reported = 0;
        while (!stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
            try {
                open(prepared.apply(route));
                LOG.info(
                        "Relay {} publishes events from {} to {}",
                        relayName(),
                        database().address(),
                        route.broker());
                return;
            } catch (RuntimeException e) {
                String reason = reason(e);
                if (!reason.equals(problem) || System.nanoTime() - reported > REMIND.toNanos()) {
                    LOG.warn("Cannot open the outbox; retrying every {} s. {}", LONGEST_PAUSE.toSeconds(), reason);
                    LOG.debug("Cannot open the outbox", e);
                    reported = System.nanoTime();
                }
                problem = reason;
            }
            pause = pause.isZero() ? FIRST_PAUSE : LONGEST_PAUSE;
        }
    }

    private String reason(RuntimeException e) {
        RuntimeException plain = Databases.recognize(e) ? database().explain(e) : e;
        return LogText.oneLine(Secrets.maskIn(String.valueOf(plain.getMessage())));
    }

    /** Opens the outbox again, unless the reason is an error such as a lack of memory, which must end the whole process. */
    private void relayEnded(Opened before, WaybillException reason) {
        boolean sound = reason instanceof StoreReplacedException || reason.getCause() instanceof Exception;
        Function<Route, OutboxTables> again = prepare;
        if (again == null || !sound) {
            ended.complete(reason);
            return;
        }
        problem = reason(reason);
        opened = null;
        before.parts().close();
        metrics.outageEnded(Duration.ZERO); // the next relay detects an outage itself
        tryToOpen(again, FIRST_PAUSE);
    }

    /** Completes with the reason when the relay ended and is not started again. */
    CompletionStage<WaybillException> ended() {
        return ended;
    }

    String relayName() {
        Opened now = opened;
        return now == null ? "" : now.relay().name();
    }

    Transport transport() {
        return transport;
    }

    /** Returns tasks that read the gauges, so that a scrape does not read them in turn. */
    List<Runnable> gauges() {
        return List.of(gauges::refresh, sagas::refresh);
    }

    /** This outbox as the HTTP server shows it. */
    ServedOutbox served() {
        return served;
    }

    private Configuration configuration() {
        return route.configuration();
    }

    private OutboxDatabase database() {
        return route.database();
    }

    /** The name in the settings; empty if the settings at the top level are those of the only outbox. */
    private Optional<String> name() {
        return configuration().outbox();
    }

    @Override
    public List<HealthCheck> checks() {
        Opened now = opened;
        return now == null
                ? List.of(new HealthCheck("relay", false, problem))
                : now.health().checks();
    }

    @Override
    public OutboxStatus status() {
        return require().health().status();
    }

    @Override
    public Optional<SagaTotals> sagaTotals() {
        Opened now = opened;
        return now == null ? Optional.empty() : now.health().sagas();
    }

    @Override
    public Optional<Engine> engine() {
        return Optional.ofNullable(opened).map(Opened::engine);
    }

    @Override
    public OutboxConnection console() {
        return require().console();
    }

    private Opened require() {
        Opened now = opened;
        if (now == null) {
            throw new StoreException(problem, null);
        }
        return now;
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    /** Stops the relay, which releases its lanes. The views for operators stay open. */
    void stop() {
        stopping.countDown();
        Opened now;
        synchronized (this) { // an outbox that is being opened is either visible here or sees the countdown
            now = opened;
        }
        if (now != null) {
            now.relay().close();
        }
    }

    @Override
    public void close() {
        stop();
        sagas.close();
        gauges.close();
        Opened now = opened;
        if (now != null) {
            now.parts().close();
        }
    }

    /** The view of the open outbox. If the outbox is opened again, calls use its new view. */
    private final class CurrentView implements OutboxView {
        @Override
        public OutboxStatus status() {
            return require().limited().view().status();
        }

        @Override
        public List<EventRecord> events(EventFilter filter, int limit) {
            return require().limited().view().events(filter, limit);
        }

        @Override
        public Optional<EventRecord> event(UUID id) {
            return require().limited().view().event(id);
        }

        @Override
        public List<AuditEntry> history(UUID id) {
            return require().limited().view().history(id);
        }
    }
}

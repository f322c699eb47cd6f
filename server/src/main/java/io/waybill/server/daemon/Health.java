package io.waybill.server.daemon;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.internal.CachedProbe;
import io.waybill.internal.DaemonThreads;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.known.Databases;
import io.waybill.server.http.outbox.HealthCheck;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Checks whether events can be delivered at the moment. Each check queries the server, with a limit of two seconds. */
public final class Health implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(2);

    private final OutboxTables tables;
    private final CachedProbe<Boolean> reachable;
    private final CachedProbe<List<String>> schema;
    private final CachedProbe<OutboxStatus> status;
    private final CachedProbe<Optional<SagaTotals>> sagas;
    private final CachedProbe<Boolean> broker;
    private final ExecutorService threads;

    /** @param outbox connections that answer within the {@link #LIMIT} */
    Health(OutboxTables tables, OutboxConnection outbox, Transport transport) {
        this.tables = tables;
        this.threads = Executors.newCachedThreadPool(DaemonThreads.numbered("waybill-health"));
        this.reachable = CachedProbe.of(threads, () -> {
            outbox.ping();
            return true;
        });
        this.schema = CachedProbe.of(threads, outbox::relayProblems);
        this.status = CachedProbe.of(threads, outbox.view()::status);
        this.sagas = CachedProbe.cachingFailures(threads, outbox::sagaTotals);
        this.broker = CachedProbe.of(threads, () -> {
            transport.probe();
            return true;
        });
    }

    /** @throws WaybillException with the reason when the database does not return the status */
    public OutboxStatus status() {
        try {
            return status.answer(LIMIT);
        } catch (WaybillException e) {
            throw new WaybillException(explain(e), e);
        }
    }

    /** Returns the sagas that have not ended; empty if there are none in this database, or it does not answer. */
    public Optional<SagaTotals> sagas() {
        try {
            return sagas.answer(LIMIT);
        } catch (WaybillException e) {
            return Optional.empty();
        }
    }

    public List<HealthCheck> checks() {
        List<HealthCheck> checks = new ArrayList<>();
        // Starts first, so that it runs in parallel with the database checks.
        threads.execute(() -> answerOrReason(broker));
        String away = answerOrReason(reachable);
        checks.add(new HealthCheck(
                "database",
                away == null,
                away == null ? tables.database().address().place() : away));
        if (away == null) {
            checks.add(schemaCheck());
            checks.add(relayCheck());
        } else {
            checks.add(new HealthCheck("schema", false, "unknown: the database is unreachable"));
            checks.add(new HealthCheck("relay", false, "unknown: the database is unreachable"));
        }
        String down = answerOrReason(broker);
        checks.add(new HealthCheck("broker", down == null, down == null ? "reachable" : down));
        return checks;
    }

    private HealthCheck schemaCheck() {
        try {
            List<String> problems = schema.answer(LIMIT);
            return new HealthCheck(
                    "schema",
                    problems.isEmpty(),
                    problems.isEmpty() ? "version " + tables.version() : String.join(" ", problems));
        } catch (WaybillException e) {
            return new HealthCheck("schema", false, explain(e));
        }
    }

    private HealthCheck relayCheck() {
        try {
            long live = status.answer(LIMIT).liveRelays();
            return new HealthCheck("relay", live > 0, live == 0 ? "no relay is running" : live + " live");
        } catch (WaybillException e) {
            return new HealthCheck("relay", false, explain(e));
        }
    }

    private <T> @Nullable String answerOrReason(CachedProbe<T> question) {
        try {
            question.answer(LIMIT);
            return null;
        } catch (WaybillException e) {
            return explain(e);
        }
    }

    private String explain(WaybillException e) {
        return e.getCause() == null ? String.valueOf(e.getMessage()) : String.valueOf(plain(e).getMessage());
    }

    private Throwable plain(WaybillException e) {
        return Databases.recognize(e) ? tables.database().explain(e) : e;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

package io.waybill.server.daemon;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.internal.CachedProbe;
import io.waybill.internal.DaemonThreads;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.database.DatabaseProblems;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.SagaTables;
import io.waybill.server.http.HealthCheck;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Checks whether events can be delivered at the moment. Each check queries the server, with a limit of two seconds. */
public final class Health implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final OutboxDatabase database;
    private final CachedProbe<Boolean> reachable;
    private final CachedProbe<List<String>> schema;
    private final CachedProbe<OutboxStatus> status;
    private final CachedProbe<Optional<SagaTotals>> sagas;
    private final CachedProbe<Boolean> broker;
    private final ExecutorService threads;

    Health(OutboxDatabase database, Engine engine, Transport transport) {
        this(database, engine, transport, source -> JdbcEngine.on(source, engine));
    }

    /** @param outbox opens the outbox on the given connections */
    Health(OutboxDatabase database, Engine engine, Transport transport, Function<DataSource, JdbcEngine> outbox) {
        this.database = database;
        this.threads = Executors.newCachedThreadPool(DaemonThreads.numbered("waybill-health"));
        // Not the pool of the relay: all of its connections may be waiting for the server that is checked.
        DataSource source = database.withTimeout((int) LIMIT.toSeconds());
        this.reachable = CachedProbe.of(threads, () -> {
            database.ping(source);
            return true;
        });
        this.schema = CachedProbe.of(threads, () -> OutboxSchema.relayProblems(source, engine));
        this.status = CachedProbe.of(threads, outbox.apply(source).view()::status);
        this.sagas = CachedProbe.cachingFailures(threads, () -> SagaTables.totals(source));
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
                "database", away == null, away == null ? database.address().place() : away));
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
                    problems.isEmpty() ? "version " + OutboxSchema.VERSION : String.join(" ", problems));
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
        return DatabaseProblems.sql(e).isPresent() ? database.explain(e) : e;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

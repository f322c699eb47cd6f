package io.waybill.server.daemon;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.WaybillException;
import io.waybill.admin.BulkRunner;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.layout.Layout;
import io.waybill.micrometer.OutboxGauges;
import io.waybill.micrometer.RelayMetrics;
import io.waybill.micrometer.SagaGauges;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.relay.RelayListener;
import io.waybill.retry.RetryPolicy;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.Brokers;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.SagaTables;
import io.waybill.server.http.HttpContent;
import io.waybill.server.http.HttpOptions;
import io.waybill.server.http.HttpServer;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.time.Ticker;
import io.waybill.transport.Transport;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** A relay with its metrics and its HTTP server. It starts even when the database or the broker is unreachable. */
public final class Daemon implements AutoCloseable {
    private final Closeables parts;
    private final Relay relay;
    private final HttpServer http;
    private final Transport transport;

    private Daemon(Closeables parts, Relay relay, HttpServer http, Transport transport) {
        this.parts = parts;
        this.relay = relay;
        this.http = http;
        this.transport = transport;
    }

    /** @throws io.waybill.WaybillException when settings contradict each other or the port is taken */
    public static Daemon start(
            Configuration configuration, OutboxDatabase database, OutboxTables tables, BrokerAddress broker) {
        Closeables parts = new Closeables();
        try {
            return start(configuration, database, tables, broker, parts);
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private static Daemon start(
            Configuration configuration,
            OutboxDatabase database,
            OutboxTables tables,
            BrokerAddress broker,
            Closeables parts) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        parts.add(registry::close);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        Transport transport = parts.add(Brokers.transport(broker, configuration));
        HikariDataSource pool = parts.add(database.pool(configuration.get(Settings.DATABASE_POOL_SIZE)));
        Health health = parts.add(new Health(database, tables.engine(), transport, tables::on));
        OutboxGauges gauges =
                parts.add(OutboxGauges.of(tables.on(database.withTimeout(2)).view()));
        gauges.bindTo(registry);
        SagaGauges sagas = parts.add(SagaGauges.ofOptional(() -> SagaTables.view(database.withTimeout(2))));
        sagas.bindTo(registry);
        HikariDataSource console = parts.add(database.consolePool());
        HttpServer http = parts.add(HttpServer.start(
                HttpOptions.of(configuration),
                new HttpContent(
                        health::checks,
                        health::status,
                        health::sagas,
                        registry::scrape,
                        List.of(ConsoleOutbox.of(configuration, database, tables, broker, console, health::status)))));
        Traces traces = parts.add(Traces.start(System.getenv()));
        RelayListener listener = traces.with(RelayMetrics.on(registry), broker.kind());
        parts.add(new BulkRunner(tables.on(console).bulk(), UUID.randomUUID().toString(), Ticker.SYSTEM))
                .start();
        Relay relay = parts.add(relay(configuration, tables.on(pool), transport, listener));
        relay.start();
        return new Daemon(parts, relay, http, transport);
    }

    public static Relay relay(
            Configuration configuration, JdbcEngine outbox, Transport transport, RelayListener listener) {
        try {
            RelayBuilder builder = Relay.builder(outbox.store(), transport)
                    .envelope(envelope(configuration))
                    .batchSize(configuration.get(Settings.RELAY_BATCH_SIZE))
                    .workers(configuration.get(Settings.RELAY_WORKERS))
                    .pollEvery(configuration.get(Settings.RELAY_POLL_EVERY))
                    .idleLimit(configuration.get(Settings.RELAY_IDLE_LIMIT))
                    .lease(configuration.get(Settings.RELAY_LEASE))
                    .retry(new RetryPolicy(
                            configuration.get(Settings.RELAY_MAX_ATTEMPTS),
                            configuration.get(Settings.RELAY_FIRST_RETRY_DELAY),
                            configuration.get(Settings.RELAY_LONGEST_RETRY_DELAY)))
                    .onDeadLetter(configuration.get(Settings.RELAY_ON_DEAD_LETTER))
                    .retention(configuration.get(Settings.RELAY_RETENTION))
                    .listener(listener);
            configuration.find(Settings.RELAY_NAME).ifPresent(builder::name);
            configuration.find(Settings.RELAY_CLAIM_BYTES).ifPresent(builder::claimBytes);
            return builder.build();
        } catch (WaybillException contradiction) {
            throw new Problem(Exit.USAGE, String.valueOf(contradiction.getMessage()), contradiction);
        }
    }

    private static Envelope envelope(Configuration configuration) {
        return OutboxTables.layout(configuration).filter(Layout::payloadAlone).isPresent()
                ? Envelope.none()
                : Envelope.standard(configuration.get(Settings.RELAY_SOURCE));
    }

    /** Completes with the reason when the relay ends by itself. */
    public CompletionStage<WaybillException> ended() {
        return relay.ended();
    }

    /** Why the broker does not accept events at the moment; empty when it does. */
    public Optional<String> brokerProblem() {
        try {
            transport.probe();
            return Optional.empty();
        } catch (WaybillException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    public String relayName() {
        return relay.name();
    }

    public String httpAddress() {
        return http.address();
    }

    /** Stops the relay first, which releases its lanes; then the HTTP server; then the connections that both use. */
    @Override
    public void close() {
        parts.close();
    }
}

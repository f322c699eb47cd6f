package io.waybill.server.daemon;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.WaybillException;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.layout.Layout;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.relay.RelayListener;
import io.waybill.retry.RetryPolicy;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.http.HttpContent;
import io.waybill.server.http.HttpOptions;
import io.waybill.server.http.HttpServer;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.store.OutboxStore;
import io.waybill.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The relays of one or several outboxes, with their metrics and an HTTP server. They start even when a database or a broker is
 * unreachable.
 */
public final class Daemon implements AutoCloseable {
    private final Closeables parts;
    private final List<OutboxRelay> outboxes;
    private final HttpServer http;

    private Daemon(Closeables parts, List<OutboxRelay> outboxes, HttpServer http) {
        this.parts = parts;
        this.outboxes = outboxes;
        this.http = http;
    }

    /**
     * Starts the relay of one outbox, whose tables are checked.
     *
     * @throws io.waybill.WaybillException when settings contradict each other or the port is taken
     */
    public static Daemon start(Configuration configuration, OutboxTables tables, BrokerAddress broker) {
        return start(
                configuration,
                List.of(new Route(configuration, tables.database(), broker)),
                outboxes -> outboxes.forEach(outbox -> outbox.open(tables)));
    }

    /**
     * Starts the relays of outboxes that have names. If an outbox cannot be served, the daemon logs the reason and retries. The
     * other outboxes are not affected.
     *
     * @param prepare connects and checks the tables of an outbox
     * @throws io.waybill.WaybillException when settings contradict each other or the port is taken
     */
    public static Daemon startAll(Configuration process, List<Route> routes, Function<Route, OutboxTables> prepare) {
        return start(process, routes, outboxes -> {
            outboxes.forEach(OutboxRelay::requireSettings);
            outboxes.forEach(outbox -> outbox.keepOpen(prepare));
        });
    }

    private static Daemon start(Configuration process, List<Route> routes, Consumer<List<OutboxRelay>> open) {
        Closeables parts = new Closeables();
        try {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            parts.add(registry::close);
            new JvmMemoryMetrics().bindTo(registry);
            new JvmThreadMetrics().bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            Transports transports = parts.add(new Transports());
            Traces traces = Traces.start(System.getenv());
            parts.add(traces);
            List<OutboxRelay> outboxes = new ArrayList<>();
            for (Route route : routes) {
                outboxes.add(parts.add(new OutboxRelay(route, transports.of(route), registry, traces, routes.size())));
            }
            Parallel parallel = parts.add(new Parallel());
            HttpServer http = parts.add(HttpServer.start(
                    HttpOptions.of(process),
                    new HttpContent(
                            outboxes.stream().map(OutboxRelay::served).toList(),
                            () -> scrape(outboxes, parallel, registry))));
            parts.add(() -> parallel.run(
                    outboxes.stream().map(outbox -> (Runnable) outbox::stop).toList()));
            open.accept(outboxes);
            return new Daemon(parts, outboxes, http);
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private static String scrape(List<OutboxRelay> outboxes, Parallel parallel, PrometheusMeterRegistry registry) {
        parallel.run(
                outboxes.stream().flatMap(outbox -> outbox.gauges().stream()).toList());
        return registry.scrape();
    }

    public static Relay relay(
            Configuration configuration, OutboxStore store, Transport transport, RelayListener listener) {
        return relay(configuration, store, transport, listener, builder -> {});
    }

    static Relay relay(
            Configuration configuration,
            OutboxStore store,
            Transport transport,
            RelayListener listener,
            Consumer<RelayBuilder> more) {
        try {
            RelayBuilder builder = Relay.builder(store, transport)
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
            more.accept(builder);
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

    /** Completes with the reason when a relay ends by itself and is not started again. */
    public CompletionStage<WaybillException> ended() {
        CompletableFuture<WaybillException> first = new CompletableFuture<>();
        outboxes.forEach(outbox -> outbox.ended().thenAccept(first::complete));
        return first;
    }

    /** Why the broker does not accept events at the moment; empty when it does. */
    public Optional<String> brokerProblem() {
        try {
            outboxes.get(0).transport().probe();
            return Optional.empty();
        } catch (WaybillException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** The name of the relay of the first outbox. */
    public String relayName() {
        return outboxes.get(0).relayName();
    }

    public String httpAddress() {
        return http.address();
    }

    /** Stops the relays first, which releases their lanes; then the HTTP server; then the connections that both use. */
    @Override
    public void close() {
        parts.close();
    }
}

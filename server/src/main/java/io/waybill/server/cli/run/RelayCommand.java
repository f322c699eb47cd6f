package io.waybill.server.cli.run;

import io.waybill.WaybillException;
import io.waybill.internal.LogText;
import io.waybill.internal.Secrets;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayListener;
import io.waybill.server.broker.Brokers;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Logging;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.daemon.Daemon;
import io.waybill.server.daemon.Route;
import io.waybill.server.daemon.Traces;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.http.HttpOptions;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.server.up.StopSignal;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "relay",
        description = {
            "Run a relay with its HTTP server. Several relays share the lanes.",
            "The relay waits for an unreachable database or broker; a wrong password or schema ends it. Ctrl-C or SIGTERM"
                    + " release its lanes and stop it with exit code 0; a second Ctrl-C ends it at once.",
            "If outboxes have names in waybill.yaml, this process serves all of them, with a relay each. An outbox with an"
                    + " unreachable database, a wrong password or a wrong schema is reported and tried again, and the"
                    + " others are served meanwhile."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill relay --database jdbc:postgresql://db/shop --broker kafka://k1:9092,k2:9092",
            "  ./waybill relay --once        publish pending events and exit, for a cron job",
            "  ./waybill relay --layout claimed-status --apply-schema   serve an existing outbox table",
            "  ./waybill relay --outbox order     serve one of the outboxes in waybill.yaml"
        })
public final class RelayCommand extends Command {
    private static final Logger LOG = LoggerFactory.getLogger(RelayCommand.class);
    private static final Duration REMIND = Duration.ofSeconds(30);
    private static final Duration CHECK_LIMIT = Duration.ofSeconds(30);

    @Option(names = "--apply-schema", description = "Create missing tables.")
    private boolean applySchema;

    @Option(names = "--once", description = "Publish the pending events of lanes that no other relay owns, then exit.")
    private boolean once;

    @Override
    protected Set<String> settings() {
        return Set.of("database", "engine", "layout", "broker", "relay", "http", "console", "log", "data-dir");
    }

    @Override
    protected Exit run() throws Exception {
        HttpOptions http = HttpOptions.of(allSettings());
        List<Route> routes = outboxes().stream().map(this::route).toList();
        boolean named = routes.get(0).configuration().outbox().isPresent();
        if (once) {
            return named ? runOnceEach(routes) : runOnce(routes.get(0));
        }
        Logging.daemon(allSettings().get(Settings.LOG_FORMAT));
        StopSignal stop = StopSignal.install();
        http.createUsers().ifPresent(output()::note);
        return named ? serveAll(routes, stop) : serve(routes.get(0), stop);
    }

    private Route route(Configuration outbox) {
        OutboxDatabase database = database(outbox);
        database.address().access().require(outbox);
        return new Route(
                outbox,
                applySchema ? database.creating() : database,
                servers(outbox).broker());
    }

    private Exit serve(Route route, StopSignal stop) throws InterruptedException {
        OutboxDatabase database = route.database();
        if (!awaitDatabase(database, stop)) {
            return Exit.OK;
        }
        OutboxTables tables = prepare(database.outbox(route.configuration()));
        CompletableFuture<WaybillException> ended;
        try (Daemon daemon = Daemon.start(route.configuration(), tables, route.broker())) {
            ended = stopAtEnd(daemon, stop);
            LOG.info(
                    "Relay {} publishes events from {} to {}; HTTP server at {}",
                    daemon.relayName(),
                    database.address(),
                    route.broker(),
                    daemon.httpAddress());
            stop.await();
            LOG.info("Stopping: releasing the lanes");
        }
        LOG.info("Stopped");
        failIfEnded(ended);
        return Exit.OK;
    }

    /** Outboxes with names do not depend on each other: one that cannot be served is tried again. */
    private Exit serveAll(List<Route> routes, StopSignal stop) throws InterruptedException {
        CompletableFuture<WaybillException> ended;
        try (Daemon daemon = Daemon.startAll(allSettings(), routes, this::prepareWithLimit)) {
            ended = stopAtEnd(daemon, stop);
            LOG.info("Serving the outboxes {}; HTTP server at {}", names(routes), daemon.httpAddress());
            stop.await();
            LOG.info("Stopping: releasing the lanes");
        }
        LOG.info("Stopped");
        failIfEnded(ended);
        return Exit.OK;
    }

    private static String names(List<Route> routes) {
        return routes.stream().map(RelayCommand::name).collect(Collectors.joining(", "));
    }

    private static String name(Route route) {
        return route.configuration().outbox().orElse("");
    }

    private static CompletableFuture<WaybillException> stopAtEnd(Daemon daemon, StopSignal stop) {
        return daemon.ended().toCompletableFuture().whenComplete((reason, none) -> stop.raise());
    }

    /** A database that hangs must not end the attempts to open its outbox. Creating tables may take longer than a check. */
    private OutboxTables prepareWithLimit(Route route) {
        OutboxDatabase database = route.database();
        return prepare(
                applySchema
                        ? database.outbox(route.configuration())
                        : database.outbox(route.configuration(), CHECK_LIMIT));
    }

    private OutboxTables prepare(OutboxTables found) {
        OutboxTables tables = found.forRelay();
        if (applySchema) {
            tables.create();
        }
        return tables.requireReadyForRelay();
    }

    /** Returns true when the database is reachable, and false when a stop signal came first. */
    private static boolean awaitDatabase(OutboxDatabase database, StopSignal stop) throws InterruptedException {
        long reminded = 0;
        while (true) {
            try {
                database.ping();
                return true;
            } catch (Problem away) {
                if (!database.isTransient(away)) {
                    throw away;
                }
                if (reminded == 0 || System.nanoTime() - reminded > REMIND.toNanos()) {
                    LOG.warn(
                            "Waiting for the database; retrying every second. {}",
                            LogText.oneLine(Secrets.maskIn(String.valueOf(away.getMessage()))));
                    reminded = System.nanoTime();
                }
            }
            if (stop.await(Duration.ofSeconds(1))) {
                return false;
            }
        }
    }

    private Exit runOnce(Route route) {
        output().line(published(publish(route)) + ".");
        return Exit.OK;
    }

    /** The first failure decides the exit code, and the other outboxes are served nevertheless. */
    private Exit runOnceEach(List<Route> routes) {
        Exit exit = Exit.OK;
        for (Route route : routes) {
            try {
                output().line(published(publish(route)) + " of outbox " + name(route) + ".");
            } catch (WaybillException e) {
                Problem problem = route.database().explain(e);
                output().note("waybill: outbox " + name(route) + ": "
                        + TerminalText.escape(Secrets.maskIn(String.valueOf(problem.getMessage()))));
                exit = exit == Exit.OK ? problem.exit() : exit;
            }
        }
        return exit;
    }

    private static String published(long count) {
        return "Published " + Format.count(count) + (count == 1 ? " event" : " events");
    }

    private long publish(Route route) {
        Configuration configuration = route.configuration();
        OutboxTables tables = prepare(route.database().outbox(configuration));
        try (OutboxConnection outbox = tables.pool(configuration.get(Settings.DATABASE_POOL_SIZE));
                Transport transport = Brokers.transport(route.broker(), configuration);
                Traces traces = Traces.start(context().environment())) {
            Brokers.probe(transport);
            long published = 0;
            long before = -1;
            while (published > before) { // one run imports only a part of a served table
                before = published;
                outbox.store().ready(List.of());
                RelayListener listener =
                        traces.with(RelayListener.NONE, route.broker().kind());
                try (Relay relay = Daemon.relay(configuration, outbox.store(), transport, listener)) {
                    published += relay.runOnce();
                }
            }
            return published;
        }
    }
}

package io.waybill.server.cli.run;

import io.waybill.WaybillException;
import io.waybill.internal.LogText;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayListener;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.Brokers;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Logging;
import io.waybill.server.config.Settings;
import io.waybill.server.daemon.Daemon;
import io.waybill.server.daemon.Traces;
import io.waybill.server.database.DatabaseProblems;
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
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "relay",
        description = {
            "Run a relay with its HTTP server. Several relays share the lanes.",
            "The relay waits for an unreachable database or broker; a wrong password or schema ends it. Ctrl-C or SIGTERM"
                    + " release its lanes and stop it with exit code 0; a second Ctrl-C ends it at once."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill relay --database jdbc:postgresql://db/shop --broker kafka://k1:9092,k2:9092",
            "  ./waybill relay --once        publish pending events and exit, for a cron job",
            "  ./waybill relay --layout claimed-status --apply-schema   serve an existing outbox table"
        })
public final class RelayCommand extends Command {
    private static final Logger LOG = LoggerFactory.getLogger(RelayCommand.class);
    private static final Duration REMIND = Duration.ofSeconds(30);

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
        HttpOptions http = HttpOptions.of(configuration());
        OutboxDatabase database = applySchema ? database().creating() : database();
        OutboxTables.require(database.address().product(), configuration());
        BrokerAddress broker = broker();
        if (once) {
            return runOnce(database, broker);
        }
        Logging.daemon(configuration().get(Settings.LOG_FORMAT));
        StopSignal stop = StopSignal.install();
        if (!awaitDatabase(database, stop)) {
            return Exit.OK;
        }
        OutboxTables tables = prepare(database);
        http.createUsers().ifPresent(output()::note);
        CompletableFuture<WaybillException> ended;
        try (Daemon daemon = Daemon.start(configuration(), database, tables, broker)) {
            ended = daemon.ended().toCompletableFuture().whenComplete((reason, none) -> stop.raise());
            LOG.info(
                    "Relay {} publishes events from {} to {}; HTTP server at {}",
                    daemon.relayName(),
                    database.address(),
                    broker,
                    daemon.httpAddress());
            stop.await();
            LOG.info("Stopping: releasing the lanes");
        }
        LOG.info("Stopped");
        failIfEnded(ended);
        return Exit.OK;
    }

    private OutboxTables prepare(OutboxDatabase database) {
        OutboxTables tables = OutboxTables.find(database, configuration()).forRelay();
        if (applySchema) {
            tables.create();
        }
        return tables.requireReadyForRelay();
    }

    /** Returns true when the database is reachable, and false when a stop signal came first. */
    private static boolean awaitDatabase(OutboxDatabase database, StopSignal stop) throws InterruptedException {
        DataSource source = database.direct();
        long reminded = 0;
        while (true) {
            try {
                database.ping(source);
                return true;
            } catch (Problem away) {
                if (!DatabaseProblems.isTransient(away)) {
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

    private Exit runOnce(OutboxDatabase database, BrokerAddress broker) {
        OutboxTables tables = prepare(database);
        try (var pool = database.pool(configuration().get(Settings.DATABASE_POOL_SIZE));
                Transport transport = Brokers.transport(broker, configuration());
                Traces traces = Traces.start(context().environment())) {
            Brokers.probe(transport);
            JdbcEngine outbox = tables.on(pool);
            long published = 0;
            long before = -1;
            while (published > before) { // one run imports only a part of a served table
                before = published;
                outbox.store().ready(List.of());
                RelayListener listener = traces.with(RelayListener.NONE, broker.kind());
                try (Relay relay = Daemon.relay(configuration(), outbox, transport, listener)) {
                    published += relay.runOnce();
                }
            }
            output().line("Published " + Format.count(published) + (published == 1 ? " event." : " events."));
        }
        return Exit.OK;
    }
}

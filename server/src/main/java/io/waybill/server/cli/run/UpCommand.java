package io.waybill.server.cli.run;

import io.waybill.WaybillException;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Logging;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.daemon.Closeables;
import io.waybill.server.daemon.Daemon;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.http.HttpOptions;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.server.up.DemoParts;
import io.waybill.server.up.LocalServers;
import io.waybill.server.up.StopSignal;
import io.waybill.server.up.UpFolder;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "up",
        description = {
            "Start a local PostgreSQL and Kafka unless other servers are configured, create the schema, and run a relay with its"
                    + " HTTP server.",
            "Ctrl-C or SIGTERM stop everything with exit code 0; a second Ctrl-C ends the program at once."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill up --demo",
            "  ./waybill up --database jdbc:postgresql://localhost/shop --broker kafka://localhost:9092"
        })
public final class UpCommand extends Command {
    @Option(
            names = "--demo",
            description =
                    "Run a small shop with orders, a consumer and sagas. Some of its events, handlers and sagas fail, so the"
                            + " console has something to repair.")
    private boolean demo;

    @Option(names = "--apply-schema", description = "Create missing tables in a configured database.")
    private boolean applySchema;

    @Option(
            names = "--demo-rate",
            paramLabel = "N",
            defaultValue = "5",
            description = "Approximate demo transactions per second (default 5).")
    private double demoRate = 5;

    @Override
    protected Set<String> settings() {
        return Set.of(
                "database", "engine", "layout", "broker", "relay", "outbox", "http", "console", "log", "data-dir");
    }

    @Override
    protected Exit run() throws Exception {
        if (!(demoRate > 0 && demoRate <= 1_000)) {
            throw Problem.usage("--demo-rate must be above 0 and at most 1000, not " + demoRate + ".");
        }
        Configuration configuration = configuration();
        if (demo && configuration.find(Settings.LAYOUT).isPresent()) {
            throw Problem.usage(
                    "--demo writes into Waybill's own outbox. Remove --demo, or remove the setting layout.");
        }
        HttpOptions http = HttpOptions.of(configuration);
        ServerLookup servers = new ServerLookup(configuration, context());
        @Nullable OutboxDatabase database = servers.configuredDatabase().orElse(null);
        @Nullable BrokerAddress broker = servers.configuredBroker().orElse(null);
        OutboxTables.require(
                database == null
                        ? DatabaseProduct.defaultProduct()
                        : database.address().product(),
                configuration);
        Path folder = servers.dataFolder();
        Logging.daemon(configuration.get(Settings.LOG_FORMAT));
        StopSignal stop = StopSignal.install();
        http.createUsers().ifPresent(output()::line);
        CompletableFuture<WaybillException> ended;
        try (Closeables parts = new Closeables()) {
            Daemon daemon = start(configuration, parts.add(UpFolder.take(folder)), parts, database, broker);
            ended = daemon.ended().toCompletableFuture().whenComplete((reason, none) -> stop.raise());
            stop.await();
            output().line();
            output().line("Stopping the relay, then its servers. (Press Ctrl-C again to end at once.)");
        }
        output().line("Stopped.");
        failIfEnded(ended);
        return Exit.OK;
    }

    /** Creates tables in the local database always, and in a configured database only with {@code --apply-schema}. */
    private OutboxTables schema(OutboxDatabase database, Configuration configuration, boolean create) {
        try {
            OutboxTables tables = OutboxTables.find(create ? database.creating() : database, configuration)
                    .forRelay();
            boolean created = create && tables.create();
            tables.requireReadyForRelay();
            output().line("  ✓ schema " + (created ? "created" : "checked") + ", " + tables.title());
            return tables;
        } catch (WaybillException e) {
            throw database.explain(e);
        }
    }

    private Daemon start(
            Configuration configuration,
            UpFolder folder,
            Closeables parts,
            @Nullable OutboxDatabase givenDatabase,
            @Nullable BrokerAddress givenBroker) {
        // Checks a configured database before starting local servers.
        OutboxTables givenTables = givenDatabase == null ? null : schema(givenDatabase, configuration, applySchema);
        if (givenDatabase == null || givenBroker == null) {
            output().line("Starting " + (givenDatabase == null ? "PostgreSQL" : "")
                    + (givenDatabase == null && givenBroker == null ? " and " : "")
                    + (givenBroker == null ? "Kafka" : "") + " …");
        }
        LocalServers local = parts.add(LocalServers.start(
                folder, givenDatabase == null, givenBroker == null, what -> output().line("  ✓ " + what)));
        OutboxDatabase database = givenDatabase != null
                ? givenDatabase
                : new ServerLookup(configuration, context())
                        .database(DatabaseAddress.parse(String.valueOf(local.jdbcUrl()), null, null));
        BrokerAddress broker =
                givenBroker != null ? givenBroker : BrokerAddress.parse(String.valueOf(local.bootstrapServers()));
        OutboxTables tables = givenTables != null ? givenTables : schema(database, configuration, true);
        Daemon daemon = parts.add(Daemon.start(configuration, database, tables, broker));
        output().line("  ✓ relay " + daemon.relayName());
        if (givenBroker != null) {
            daemon.brokerProblem().ifPresent(why -> output().line("  ! " + why + " Events stay pending until then."));
        }
        if (demo) {
            parts.add(DemoParts.start(
                    tables.source(), tables.outbox(), broker, givenDatabase == null || applySchema, demoRate));
            output().line("  ✓ demo, about " + Math.round(demoRate) + " transactions per second");
        }
        String databaseWithoutSecrets = Secrets.strip(database.address().jdbcUrl());
        folder.announce(databaseWithoutSecrets, broker.withoutSecrets(), daemon.httpAddress());
        boolean logins = configuration.find(Settings.DATABASE_USER).isPresent()
                || !databaseWithoutSecrets.equals(database.address().jdbcUrl())
                || !broker.withoutSecrets().equals(broker.address());
        String also = configuration
                .find(Settings.DATA_DIR)
                .map(path -> " --data-dir " + path)
                .orElse("");
        new UpSummary(output(), also).print(database.address(), broker, daemon.httpAddress(), demo, logins);
        return daemon;
    }
}

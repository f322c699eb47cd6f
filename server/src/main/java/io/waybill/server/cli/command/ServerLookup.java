package io.waybill.server.cli.command;

import io.waybill.jdbc.layout.Layout;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Setting;
import io.waybill.server.config.Settings;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Problem;
import io.waybill.server.up.RunFile;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the servers of a command: the configured servers, otherwise those of a running {@code waybill up}. */
public final class ServerLookup {
    private final Configuration configuration;
    private final CliContext context;

    public ServerLookup(Configuration configuration, CliContext context) {
        this.configuration = configuration;
        this.context = context;
    }

    public Path dataFolder() {
        return configuration
                .find(Settings.DATA_DIR)
                .map(context.workingFolder()::resolve)
                .orElseGet(() -> context.home().resolve(".waybill").resolve("data"));
    }

    public OutboxDatabase database() {
        return configuredDatabase()
                .or(() -> implied().map(running -> database(running.database())))
                .orElseThrow(() -> nothing("database", Settings.DATABASE_URL));
    }

    /** Empty when none is configured, even if {@code waybill up} is running. */
    public Optional<OutboxDatabase> configuredDatabase() {
        return configuration.find(Settings.DATABASE_URL).map(this::database);
    }

    private OutboxDatabase database(String url) {
        return database(DatabaseAddress.parse(
                url,
                configuration.find(Settings.DATABASE_USER).orElse(null),
                configuration.find(Settings.DATABASE_PASSWORD).orElse(null)));
    }

    /** The database, with connections that use the schema of the layout. */
    public OutboxDatabase database(DatabaseAddress address) {
        return new OutboxDatabase(
                address, OutboxTables.layout(configuration).map(Layout::schema).orElse(null));
    }

    public BrokerAddress broker() {
        return anyBroker().orElseThrow(() -> nothing("broker", Settings.BROKER_URL));
    }

    /** The configured broker, otherwise that of a running {@code waybill up}; empty when there is neither. */
    public Optional<BrokerAddress> anyBroker() {
        return configuredBroker()
                .or(() -> implied().map(RunFile.Running::broker).map(BrokerAddress::parse));
    }

    /** Empty when none is configured, even if {@code waybill up} is running. */
    public Optional<BrokerAddress> configuredBroker() {
        return configuration.find(Settings.BROKER_URL).map(BrokerAddress::parse);
    }

    public Optional<RunFile.Running> running() {
        return new RunFile(dataFolder()).running();
    }

    /** An outbox with a name has servers of its own, never those of {@code waybill up}. */
    private Optional<RunFile.Running> implied() {
        return configuration.outbox().isPresent() ? Optional.empty() : running();
    }

    private Problem nothing(String what, Setting<?> setting) {
        String flag = setting.flag();
        if (configuration.outbox().isPresent()) {
            String name = configuration.outbox().get();
            return Problem.usage("Outbox " + name + " has no " + what + ". Set outboxes." + name + "." + setting.key()
                    + ".");
        }
        return Problem.usage("No " + what + " is configured, and no `waybill up` runs on " + dataFolder()
                + ". Start `./waybill up`, or pass " + flag + ".");
    }
}

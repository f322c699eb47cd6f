package io.waybill.server.cli;

import io.waybill.WaybillException;
import io.waybill.server.Exit;
import io.waybill.server.Logging;
import io.waybill.server.Problem;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.store.StoreReplacedException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all commands share. */
abstract class Command implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    @Option(names = "--verbose", description = "Log more, and show stack traces.")
    private boolean verbose;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file (default: waybill.yaml in the working folder, if there is one).")
    private @Nullable Path config;

    private final SettingFlags flags = new SettingFlags();

    @SuppressWarnings("NullAway.Init")
    private CliContext surroundings;

    @SuppressWarnings("NullAway.Init")
    private Output output;

    private @Nullable Configuration configuration;

    /** Groups of settings that this command takes as flags. */
    abstract Set<String> settings();

    abstract Exit run() throws Exception;

    void prepare(CliContext surroundings) {
        this.surroundings = surroundings;
        this.output = new Output(surroundings);
        flags.addTo(spec, settings());
    }

    @Override
    public final Integer call() throws Exception {
        if (verbose) {
            Logging.verbose();
        }
        return run().code();
    }

    boolean verbose() {
        return verbose;
    }

    CliContext surroundings() {
        return surroundings;
    }

    Output output() {
        return output;
    }

    /** Of the terminal; wide when there is none. */
    int width() {
        return surroundings.terminal() ? spec.commandLine().getUsageHelpWidth() : 240;
    }

    CommandSpec spec() {
        return spec;
    }

    Configuration configuration() {
        if (configuration == null) {
            configuration = flags.read(config, surroundings);
        }
        return configuration;
    }

    OutboxDatabase database() {
        return new Servers(configuration(), surroundings).database();
    }

    OutboxTables tables() {
        return OutboxTables.find(database(), configuration());
    }

    /** A relay that ended by itself is no success. */
    static void failIfEnded(CompletableFuture<WaybillException> ended) {
        if (ended.isDone()) {
            WaybillException reason = ended.join();
            Exit exit = reason instanceof StoreReplacedException ? Exit.DATABASE : Exit.FAILED;
            throw new Problem(exit, "The relay ended: " + reason.getMessage(), reason);
        }
    }

    BrokerAddress broker() {
        return new Servers(configuration(), surroundings).broker();
    }
}

package io.waybill.server.cli.command;

import io.waybill.WaybillException;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.store.StoreReplacedException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Base class of all commands: common options, settings and connections. */
public abstract class Command implements Callable<Integer> {
    /** The groups of settings for a command that reads or changes an outbox. */
    protected static final Set<String> OUTBOX_SETTINGS = Set.of("database", "engine", "layout", "data-dir");

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean help;

    @Option(names = "--verbose", description = "Log more, and print stack traces.")
    private boolean verbose;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file (default: waybill.yaml in the working folder, if it exists).")
    private @Nullable Path config;

    private final SettingFlags flags = new SettingFlags();

    @SuppressWarnings("NullAway.Init")
    private CliContext context;

    @SuppressWarnings("NullAway.Init")
    private Output output;

    private @Nullable Configuration configuration;

    private @Nullable OutboxDatabase database;

    /** The groups of settings that this command accepts as flags. */
    protected abstract Set<String> settings();

    protected abstract Exit run() throws Exception;

    public final void prepare(CliContext context) {
        this.context = context;
        this.output = new Output(context);
        flags.addTo(spec, settings());
    }

    @Override
    public final Integer call() throws Exception {
        if (verbose) {
            Logging.verbose();
        }
        try {
            return run().code();
        } finally {
            if (database != null) {
                database.close();
            }
        }
    }

    public boolean verbose() {
        return verbose;
    }

    protected CliContext context() {
        return context;
    }

    protected Output output() {
        return output;
    }

    /** The width of the terminal; 240 columns when the output is not a terminal. */
    protected int width() {
        return context.terminal() ? spec.commandLine().getUsageHelpWidth() : 240;
    }

    protected CommandSpec spec() {
        return spec;
    }

    protected Configuration configuration() {
        if (configuration == null) {
            configuration = flags.read(config, context);
        }
        return configuration;
    }

    /** The same object for each call. It is closed when the command ends. */
    public OutboxDatabase database() {
        if (database == null) {
            database = new ServerLookup(configuration(), context).database();
        }
        return database;
    }

    protected OutboxTables tables() {
        return database().outbox(configuration());
    }

    /** Throws a {@link Problem} when the relay ended by itself. */
    protected static void failIfEnded(CompletableFuture<WaybillException> ended) {
        if (ended.isDone()) {
            WaybillException reason = ended.join();
            Exit exit = reason instanceof StoreReplacedException ? Exit.DATABASE : Exit.FAILED;
            throw new Problem(exit, "The relay ended: " + reason.getMessage(), reason);
        }
    }

    protected BrokerAddress broker() {
        return new ServerLookup(configuration(), context).broker();
    }
}

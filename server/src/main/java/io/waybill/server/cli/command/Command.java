package io.waybill.server.cli.command;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.store.StoreReplacedException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** By the name of the outbox; empty for an outbox without a name. */
    private final Map<String, OutboxDatabase> databases = new LinkedHashMap<>();

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
            databases.values().forEach(OutboxDatabase::close);
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

    /** The settings of the outbox that this command concerns. Throws a {@link Problem} that lists the outboxes if that is ambiguous. */
    protected Configuration configuration() {
        List<Configuration> chosen = chosen();
        if (chosen.size() > 1) {
            throw Problem.usage("Several outboxes are configured: "
                    + String.join(", ", allSettings().outboxNames()) + ". Choose one with --outbox NAME.");
        }
        return chosen.get(0);
    }

    /** The settings of each outbox that a command for all outboxes concerns; one element without a name if none has a name. */
    protected List<Configuration> outboxes() {
        List<Configuration> chosen = chosen();
        if (chosen.size() > 1 && allSettings().isFlag(Settings.DATABASE_URL)) {
            throw Problem.usage(Settings.DATABASE_URL.flag() + " concerns one outbox, and several are configured: "
                    + String.join(", ", allSettings().outboxNames()) + ". Choose one with --outbox NAME.");
        }
        OutboxAddresses.requireDistinct(chosen);
        return chosen;
    }

    private List<Configuration> chosen() {
        return flags.outbox()
                .map(name -> List.of(allSettings().outbox(name)))
                .orElseGet(() -> allSettings().outboxes());
    }

    /** The settings of the process. Those of an outbox may differ. */
    protected Configuration allSettings() {
        if (configuration == null) {
            configuration = flags.read(config, context);
        }
        return configuration;
    }

    protected boolean choosesOutbox() {
        return flags.outbox().isPresent();
    }

    /** The database of the outbox that this command concerns. */
    public OutboxDatabase database() {
        return database(configuration());
    }

    /** The same object for each call with the same outbox. It is closed when the command ends. */
    protected OutboxDatabase database(Configuration outbox) {
        return databases.computeIfAbsent(
                outbox.outbox().orElse(""), name -> servers(outbox).database());
    }

    protected ServerLookup servers(Configuration outbox) {
        return new ServerLookup(outbox, context);
    }

    protected OutboxTables tables() {
        return database().outbox(configuration());
    }

    /** Throws a {@link Problem} if the tables are not valid, or this kind of database does not support searches. */
    protected OutboxSearch search() {
        return tables().requireValid().outbox().search().orElseThrow(this::unsupported);
    }

    /** Throws a {@link Problem} if the tables are not valid, or this kind of database does not support actions. */
    protected OutboxActions actions() {
        return tables().requireValid().outbox().actions().orElseThrow(this::unsupported);
    }

    private Problem unsupported() {
        return Problem.usage("`" + spec.qualifiedName() + "` does not support "
                + database().address().access().title() + " yet.");
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

package io.waybill.server.cli;

import io.waybill.internal.Secrets;
import io.waybill.server.cli.append.AppendCommand;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.CliContext;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.cli.inbox.InboxCommand;
import io.waybill.server.cli.outbox.DeadLettersCommand;
import io.waybill.server.cli.outbox.EventsCommand;
import io.waybill.server.cli.outbox.FailuresCommand;
import io.waybill.server.cli.outbox.KeysCommand;
import io.waybill.server.cli.outbox.PausesCommand;
import io.waybill.server.cli.outbox.StatusCommand;
import io.waybill.server.cli.run.RelayCommand;
import io.waybill.server.cli.run.UpCommand;
import io.waybill.server.cli.saga.SagasCommand;
import io.waybill.server.cli.schema.LayoutCommand;
import io.waybill.server.cli.schema.SchemaCommand;
import io.waybill.server.config.Suggestion;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses the command line, runs the command, and translates errors into a message and an exit code. */
public final class Program {
    /** The commands, in the order of the help text. */
    private static final List<String> COMMANDS = List.of(
            "up",
            "relay",
            "append",
            "tail",
            "status",
            "events",
            "dead-letters",
            "failures",
            "keys",
            "pause",
            "resume",
            "pauses",
            "inbox",
            "sagas",
            "schema",
            "layout",
            "users",
            "doctor",
            "config",
            "completion",
            "version");

    private final CliContext context;

    public Program(CliContext context) {
        this.context = context;
    }

    public int run(String... args) {
        try {
            return commandLine(args).execute(args);
        } finally {
            context.out().flush();
            context.err().flush();
        }
    }

    /**
     * Creates only the command that the arguments begin with, if they begin with one: preparing all commands takes longer than
     * most commands run. The completion script needs all commands.
     */
    CommandLine commandLine(String... args) {
        CommandLine root = new CommandLine(new RootCommand());
        boolean one = args.length > 0 && COMMANDS.contains(args[0]) && !args[0].equals("completion");
        (one ? List.of(args[0]) : COMMANDS).forEach(name -> root.addSubcommand(command(name)));
        prepare(root);
        root.registerConverter(UUID.class, Program::id);
        root.setOut(context.out());
        root.setErr(context.err());
        root.setColorScheme(CommandLine.Help.defaultColorScheme(context.colours() ? Ansi.ON : Ansi.OFF));
        root.setExpandAtFiles(false);
        root.setUsageHelpWidth(110);
        root.setUsageHelpAutoWidth(context.terminal());
        root.setUsageHelpLongOptionsMaxWidth(34);
        root.setParameterExceptionHandler(this::wrongUsage);
        root.setExecutionExceptionHandler(
                (failure, command, result) -> new FailureReport(context).report(failure, command));
        return root;
    }

    private static Command command(String name) {
        return switch (name) {
            case "up" -> new UpCommand();
            case "relay" -> new RelayCommand();
            case "append" -> new AppendCommand();
            case "tail" -> new TailCommand();
            case "status" -> new StatusCommand();
            case "events" -> new EventsCommand();
            case "dead-letters" -> new DeadLettersCommand();
            case "failures" -> new FailuresCommand();
            case "keys" -> new KeysCommand();
            case "pause" -> new PausesCommand.Begin();
            case "resume" -> new PausesCommand.End();
            case "pauses" -> new PausesCommand.Listing();
            case "inbox" -> new InboxCommand();
            case "sagas" -> new SagasCommand();
            case "schema" -> new SchemaCommand();
            case "layout" -> new LayoutCommand();
            case "users" -> new UsersCommand();
            case "doctor" -> new DoctorCommand();
            case "config" -> new ConfigCommand();
            case "completion" -> new CompletionCommand();
            case "version" -> new VersionCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private void prepare(CommandLine line) {
        if (line.getCommand() instanceof Command command) {
            command.prepare(context);
        }
        line.getCommandSpec().usageMessage().abbreviateSynopsis(true).sortOptions(false);
        line.getSubcommands().values().forEach(this::prepare);
    }

    private int wrongUsage(ParameterException e, String[] args) {
        CommandLine line = e.getCommandLine();
        String message = Secrets.maskIn(noCommand(e).orElseGet(() -> plain(e)));
        if (Arrays.asList(args).contains("--json")) {
            context.err().println(Json.error(message + suggestion(e), Exit.USAGE));
            return Exit.USAGE.code();
        }
        context.err().println("waybill: " + TerminalText.escape(message) + suggestion(e));
        context.err().println("See `" + line.getCommandSpec().qualifiedName() + " --help`.");
        return Exit.USAGE.code();
    }

    private static UUID id(String text) {
        try {
            return Arguments.id(text);
        } catch (Problem e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()).replaceAll("\\.$", ""));
        }
    }

    private static Optional<String> noCommand(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()
                && !e.getCommandLine().getSubcommands().isEmpty()) {
            return Optional.of(
                    "There is no command '" + unmatched.getUnmatched().get(0) + "'");
        }
        return Optional.empty();
    }

    private static String plain(ParameterException e) {
        return String.valueOf(e.getMessage())
                .replaceAll("\\s*\\R\\s*", " ")
                .replaceAll(" \\([\\w.]+Exception: [^)]*\\)", "");
    }

    /** Ends the sentence, and suggests the most similar command or option if there is one. */
    private static String suggestion(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return ".";
        }
        String wrong = unmatched.getUnmatched().get(0).replaceFirst("=.*", "");
        CommandLine command = e.getCommandLine();
        return "."
                + Suggestion.sentence(
                        wrong,
                        wrong.startsWith("-")
                                ? command.getCommandSpec().optionsMap().keySet()
                                : command.getSubcommands().keySet());
    }
}

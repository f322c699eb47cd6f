package io.waybill.server.cli.outbox;

import io.waybill.admin.ActionResult;
import io.waybill.admin.OutboxPause;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.DecisionOptions;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands {@code pause}, {@code resume} and {@code pauses}. */
public final class PausesCommand {
    private PausesCommand() {}

    /** The scope and the value of a pause. */
    static final class Target {
        @Parameters(index = "0", paramLabel = "SCOPE", description = "relay, topic, type or key.")
        private String scope = "";

        @Parameters(
                index = "1",
                paramLabel = "VALUE",
                description = "The name of a relay or '*' for all of them; a topic; a type; a key.")
        private String value = "";

        OutboxPause.Scope scope() {
            try {
                return OutboxPause.Scope.valueOf(scope.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw Problem.usage("Unknown scope '" + scope + "'. Scopes: relay, topic, type, key.");
            }
        }

        String text() {
            return scope.toLowerCase(Locale.ROOT) + " " + TerminalText.escape(value);
        }
    }

    @CommandLine.Command(name = "pauses", description = "List the pauses that have not ended.")
    public static final class Listing extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            List<OutboxPause> pauses = search().pauses();
            if (json.wanted()) {
                pauses.forEach(pause -> output().json(Json.object()
                        .put("scope", pause.scope().name())
                        .put("value", pause.value())
                        .put("actor", pause.actor())
                        .put("reason", pause.reason())
                        .put("since", pause.since().toString())
                        .put("until", until(pause))));
                return Exit.OK;
            }
            if (pauses.isEmpty()) {
                output().note("Nothing is paused.");
                return Exit.OK;
            }
            Table table = new Table("SCOPE", "VALUE", "SINCE", "UNTIL", "ACTOR", "REASON");
            for (OutboxPause pause : pauses) {
                String until = until(pause);
                table.row(
                        pause.scope().name(),
                        TerminalText.cut(pause.value(), 40),
                        pause.since().toString(),
                        until == null ? "resumed" : until,
                        pause.actor(),
                        pause.reason());
            }
            output().table(table.cutTo(width()));
            return Exit.OK;
        }

        private static @Nullable String until(OutboxPause pause) {
            return pause.until() == null ? null : pause.until().toString();
        }
    }

    @CommandLine.Command(
            name = "pause",
            description = {
                "Pause relays, or the events of a topic, a type or a key. Relays follow within a second.",
                "A pause uses up no attempts, and keeps the order of each key."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  ./waybill pause topic orders --for 30m --reason 'the consumer is being repaired'",
                "  ./waybill pause relay '*' --reason 'database maintenance'"
            })
    public static final class Begin extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private Target target = new Target();

        @Option(
                names = "--for",
                paramLabel = "DURATION",
                description = "End the pause after this time (default: when it is resumed).")
        private @Nullable String duration;

        @Mixin
        private DecisionOptions decision = new DecisionOptions();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            Duration time = Arguments.optionalDuration("--for", duration);
            Instant until = time == null ? null : Instant.now().plus(time);
            ActionResult result =
                    actions().pause(target.scope(), target.value, until, ActionOutput.action(decision.decision()));
            ActionOutput.print(
                    "pause",
                    result,
                    "Paused " + target.text() + (until == null ? "." : " until " + until + "."),
                    json.wanted(),
                    output());
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "resume",
            description = "End a pause. The events that it held are due within a second.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill resume topic orders --reason 'the consumer is repaired'"})
    public static final class End extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private Target target = new Target();

        @Mixin
        private DecisionOptions decision = new DecisionOptions();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            ActionResult result =
                    actions().resume(target.scope(), target.value, ActionOutput.action(decision.decision()));
            ActionOutput.print("resume", result, "Resumed " + target.text() + ".", json.wanted(), output());
            return Exit.OK;
        }
    }
}

package io.waybill.server.cli.append;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.cli.command.TopicRule;
import io.waybill.server.config.Settings;
import io.waybill.server.database.EventWriter;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.known.Databases;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "append",
        description = {
            "Append one event from flags, or many events from JSON lines on standard input.",
            "Without --type, each line is an object {id, type, aggregateType, key, payload, headers, topic, version,"
                    + " aggregateVersion, occurredAt}; type, aggregateType and key are required. All lines are appended in"
                    + " one transaction: if a line is invalid, the error names it and no event is written."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill append --type order.placed --aggregate-type Order --key 42 --payload '{\"total\":10}'",
            "  ./waybill append < events.jsonl"
        })
public final class AppendCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private EventOptions options = new EventOptions();

    @Option(
            names = "--commit-every",
            paramLabel = "N",
            defaultValue = "0",
            description = "Commit after every N lines instead of once. After an error, committed lines stay.")
    private int commitEvery;

    @Override
    protected Set<String> settings() {
        return Set.of("database", "engine", "outbox", "broker", "data-dir");
    }

    @Override
    protected Exit run() {
        OutboxTables.layout(configuration()).ifPresent(layout -> {
            throw Problem.usage("Layout " + layout.name() + " serves " + layout.table()
                    + ". Insert a row there, as its writers do.");
        });
        if (options.given()) {
            one();
        } else {
            lines();
        }
        return Exit.OK;
    }

    private void one() {
        Event event = event();
        OutboxTables outbox = tables().requireValidForAppend();
        try (EventWriter writer = outbox.writer(maxPayload())) {
            try {
                writer.append(List.of(event));
            } catch (WaybillException e) {
                throw refused(e, "");
            }
            writer.commit();
        }
        if (json.wanted()) {
            output().json(Json.object().put("id", event.id().toString()).put("topic", event.destination()));
        } else {
            output().line("Appended " + TerminalText.escape(event.toString()) + ".");
        }
    }

    private void lines() {
        if (context().terminal() && Boolean.getBoolean("waybill.typing")) {
            output().note(
                            "Reading events as JSON lines from standard input. End the input with Ctrl-D. (--help shows the flags.)");
        }
        OutboxTables outbox = tables().requireValidForAppend();
        try (EventWriter writer = outbox.writer(maxPayload())) {
            AppendLines lines = new AppendLines(writer, topics(), commitEvery, output());
            long count = lines.appendAll(new EventLines(context().in(), maxPayload()));
            if (json.wanted()) {
                output().json(Json.object().put("appended", count));
            } else {
                output().line("Appended " + Format.count(count) + (count == 1 ? " event." : " events."));
            }
        }
    }

    private TopicRule topics() {
        return TopicRule.of(new ServerLookup(configuration(), context()));
    }

    private int maxPayload() {
        return configuration().get(Settings.OUTBOX_MAX_PAYLOAD);
    }

    private Event event() {
        try {
            Event event = options.event(context().workingFolder(), maxPayload());
            topics().check(event, "");
            return event;
        } catch (WaybillException e) {
            throw refused(e, "");
        }
    }

    /** An error of the outbox is a usage error, unless its cause is an error of the database. */
    static WaybillException refused(WaybillException e, String place) {
        if (e instanceof Problem problem && problem.exit() == Exit.USAGE && place.isEmpty()) {
            return new Problem(Exit.USAGE, e.getMessage() + " Nothing was written.", e);
        }
        if (e instanceof Problem || (Databases.recognize(e) && !Databases.refuseData(e))) {
            return e;
        }
        return new Problem(Exit.USAGE, place + e.getMessage() + " Nothing was written.", e);
    }
}

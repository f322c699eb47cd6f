package io.waybill.server.cli.outbox;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.cli.outbox.StatusReader.Reading;
import io.waybill.server.http.json.StatusJson;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

@CommandLine.Command(
        name = "status",
        description =
                "Show pending events, their age, dead letters, sagas if there are any, the relays and their lanes.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill status --watch",
            "  ./waybill status --json | jq .pending",
            "  ./waybill status --check || echo 'no live relay'"
        })
public final class StatusCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--watch", description = "Repeat until stopped.")
    private boolean watch;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description = "Interval of --watch (default 2s).")
    private String every = "2s";

    @Option(names = "--check", description = "Exit with 1 when no relay is live.")
    private boolean check;

    @Override
    protected Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    @Override
    protected Exit run() throws InterruptedException {
        Duration pause = Arguments.duration("--every", every);
        List<StatusReader> readers = outboxes().stream()
                .map(outbox -> new StatusReader(outbox, this::database))
                .toList();
        while (true) {
            boolean several = !readers.get(0).name().isEmpty() && !choosesOutbox();
            Exit exit = several ? showAll(readers) : show(readers.get(0));
            if (!watch) {
                return exit;
            }
            if (output().closed()) {
                return Exit.OK;
            }
            Thread.sleep(Math.max(100, pause.toMillis()));
        }
    }

    private Exit show(StatusReader outbox) {
        try {
            Reading reading = outbox.read();
            clear();
            if (json.wanted()) {
                output().json(StatusJson.of(reading.status(), reading.sagas()));
            } else {
                text(outbox.name()).print(reading.status(), reading.sagas());
            }
            return exit(reading);
        } catch (WaybillException e) {
            if (!watch || !outbox.isOpen()) {
                throw e;
            }
            output().note("waybill: "
                    + TerminalText.escape(String.valueOf(outbox.explain(e).getMessage())));
            return Exit.FAILED;
        }
    }

    private StatusText text(String outbox) {
        return new StatusText(output(), outbox.isEmpty() ? "" : " --outbox " + outbox);
    }

    private Exit exit(Reading reading) {
        return check && reading.status().liveRelays() == 0 ? Exit.FAILED : Exit.OK;
    }

    /** The status of an outbox, or why there is none. */
    private record Row(
            String name,
            @Nullable Reading reading,
            @Nullable Problem problem) {}

    /** An outbox that does not answer is shown as such, beside the others. The first failure decides the exit code. */
    private Exit showAll(List<StatusReader> outboxes) {
        List<Row> rows = outboxes.stream().map(StatusCommand::row).toList();
        clear();
        if (json.wanted()) {
            var result = Json.object();
            var list = result.putArray("outboxes");
            rows.forEach(row -> addTo(list.addObject().put("outbox", row.name()), row));
            output().json(result);
        } else {
            rows.forEach(this::print);
        }
        return rows.stream()
                .map(this::exit)
                .filter(exit -> exit != Exit.OK)
                .findFirst()
                .orElse(Exit.OK);
    }

    private static Row row(StatusReader outbox) {
        try {
            return new Row(outbox.name(), outbox.read(), null);
        } catch (WaybillException e) {
            return new Row(outbox.name(), null, outbox.explain(e));
        }
    }

    private Exit exit(Row row) {
        return row.reading() != null
                ? exit(row.reading())
                : requireNonNull(row.problem()).exit();
    }

    private static void addTo(ObjectNode entry, Row row) {
        if (row.reading() != null) {
            entry.setAll(StatusJson.of(row.reading().status(), row.reading().sagas()));
        } else {
            entry.put("error", requireNonNull(row.problem()).getMessage());
        }
    }

    private void print(Row row) {
        output().line(output().bold("outbox " + row.name()));
        if (row.reading() != null) {
            text(row.name()).print(row.reading().status(), row.reading().sagas());
        } else {
            output().line(output().red("unknown: ")
                    + TerminalText.escape(
                            String.valueOf(requireNonNull(row.problem()).getMessage())));
        }
        output().line();
    }

    private void clear() {
        if (watch && output().terminal() && !json.wanted()) {
            output().line("\u001b[H\u001b[2J");
        }
    }
}

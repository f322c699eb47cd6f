package io.waybill.server.cli.saga;

import io.waybill.saga.admin.SagaDetails;
import io.waybill.saga.admin.StepDetails;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints one saga with all of its parts. */
final class SagaText {
    /** The number of entries of the history that are shown. */
    static final int HISTORY = 500;

    private static final int LONGEST_DATA = 2_000;

    private final Output output;
    private final int width;

    SagaText(Output output, int width) {
        this.output = output;
        this.width = width;
    }

    void print(SagaDetails details) {
        SagaRecord saga = details.saga();
        output.field("saga", saga.name() + " version " + saga.version());
        output.field("key", saga.businessKey());
        output.field("id", saga.id());
        output.field("state", SagaList.state(saga) + ", revision " + saga.revision());
        field("waits for", saga.stuck().isEmpty() ? null : "a person: " + saga.stuck());
        field("error", saga.error());
        field("child of", saga.parentId() == null ? null : saga.parentId() + ", step " + saga.parentStep());
        output.field("started", saga.createdAt());
        output.field("changed", saga.updatedAt());
        field("next", saga.wakeAt());
        field("ended", saga.endedAt());
        for (Map.Entry<String, String> header : saga.headers().entrySet()) {
            output.field("header", header.getKey() + ": " + header.getValue());
        }
        output.field("data", bounded(saga.data()));
        output.line();
        steps(details.steps());
        output.line();
        history(details);
        pending(details);
    }

    private static String bounded(String data) {
        return data.length() <= LONGEST_DATA
                ? data
                : data.substring(0, LONGEST_DATA) + "… (" + Format.count(data.length())
                        + " characters; --json prints all)";
    }

    private void steps(List<StepDetails> steps) {
        Table table = new Table("STEP", "STATE", "ATTEMPTS", "COMPENSATIONS", "NEXT", "ERROR");
        for (StepDetails step : steps) {
            table.row(
                    step.name(),
                    step.status() + (step.stuck() ? ", waits for a person" : ""),
                    Integer.toString(step.attempts()),
                    Integer.toString(step.compensationAttempts()),
                    step.nextAt() == null ? "-" : step.nextAt().toString(),
                    step.error() == null ? "" : step.error());
        }
        output.table(table.cutTo(width));
    }

    /** Each entry with its time since the start. */
    private void history(SagaDetails details) {
        if (!details.historyComplete()) {
            output.line("The last " + details.history().size() + " entries of the history:");
        }
        Instant start = details.saga().createdAt();
        Table table = new Table("TIME", "SINCE START", "EVENT", "STEP", "ATTEMPT", "DETAIL");
        for (HistoryEntry entry : details.history()) {
            table.row(
                    entry.at().toString(),
                    "+" + Format.age(Duration.between(start, entry.at())),
                    entry.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    entry.step() == null ? "" : entry.step(),
                    entry.attempt() == 0 ? "" : Integer.toString(entry.attempt()),
                    entry.detail() == null ? "" : entry.detail());
        }
        output.table(table.cutTo(width));
    }

    private void pending(SagaDetails details) {
        for (SagaSignal signal : details.pending()) {
            output.line("Pending: "
                    + TerminalText.escape(signal.kind()
                            + (signal.step() == null ? "" : " of step " + signal.step())
                            + (signal.actor() == null
                                    ? ""
                                    : ", requested by " + signal.actor() + ": " + signal.reason())));
        }
    }

    private void field(String name, @Nullable Object value) {
        if (value != null) {
            output.field(name, value);
        }
    }
}

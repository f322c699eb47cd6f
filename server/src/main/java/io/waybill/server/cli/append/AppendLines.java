package io.waybill.server.cli.append;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.TopicRule;
import io.waybill.server.database.EventWriter;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;

/** Appends events in batches while reading them. Commits once at the end, or after every N events. */
final class AppendLines {
    private static final int BATCH = 500;
    private static final long REPORT_NANOS = 2_000_000_000L;

    private final EventWriter writer;
    private final TopicRule topics;
    private final int commitEvery;
    private final Output output;
    private final List<Event> batch = new ArrayList<>();
    private long batchLine;
    private long read;
    private long committed;
    private long lastReport = System.nanoTime();

    AppendLines(EventWriter writer, TopicRule topics, int commitEvery, Output output) {
        this.writer = writer;
        this.topics = topics;
        this.commitEvery = commitEvery;
        this.output = output;
    }

    long appendAll(EventLines lines) {
        try {
            for (var event = lines.next(); event.isPresent(); event = lines.next()) {
                if (batch.isEmpty()) {
                    batchLine = lines.number();
                }
                topics.check(event.get(), "Line " + lines.number() + ": ");
                batch.add(event.get());
                read++;
                boolean commit = commitEvery > 0 && read % commitEvery == 0;
                if (batch.size() == BATCH || commit) {
                    write(lines.number());
                }
                if (commit) {
                    commit();
                }
                progress();
            }
            write(lines.number());
            commit();
            return read;
        } catch (Problem e) {
            throw new Problem(e.exit(), e.getMessage() + " " + outcome(), e);
        }
    }

    private void write(long line) {
        if (batch.isEmpty()) {
            return;
        }
        try {
            writer.append(batch);
        } catch (WaybillException e) {
            throw blame(e, line);
        }
        batch.clear();
    }

    /** Errors in a single event were found when its line was read. This error concerns several events, such as equal ids. */
    private WaybillException blame(WaybillException failure, long line) {
        WaybillException problem = AppendCommand.refused(failure, "");
        if (!(problem instanceof Problem)) {
            return failure;
        }
        String place = batchLine == line ? "Line " + line : "Lines " + batchLine + " to " + line;
        return new Problem(Exit.USAGE, place + ": " + failure.getMessage(), failure);
    }

    private void commit() {
        writer.commit();
        committed = read;
    }

    private String outcome() {
        return committed == 0
                ? "Nothing was written."
                : "The first " + Format.count(committed) + " events were committed before that.";
    }

    private void progress() {
        if (System.nanoTime() - lastReport > REPORT_NANOS) {
            lastReport = System.nanoTime();
            output.note("… " + Format.count(read) + " events read");
        }
    }
}

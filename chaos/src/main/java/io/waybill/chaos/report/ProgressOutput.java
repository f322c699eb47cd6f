package io.waybill.chaos.report;

import io.waybill.chaos.check.Sample;
import io.waybill.chaos.schedule.PlannedFault;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Prints a line for each fault and, in a terminal, a line of counters that is updated every second. */
public final class ProgressOutput {
    private final PrintStream out;
    private final boolean terminal;
    private Sample latest = new Sample(0, 0, 0, 0);

    public ProgressOutput(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    public synchronized void say(String line) {
        out.println((terminal ? "\r\u001b[K" : "") + line);
    }

    /** Prints the headings of the columns. */
    public synchronized void heading() {
        latest = new Sample(0, 0, 0, 0);
        say(String.format(
                Locale.ROOT,
                "%8s  %-28s %-34s %5s %10s %10s %8s",
                "time",
                "fault",
                "",
                "for",
                "committed",
                "delivered",
                "backlog"));
    }

    public synchronized void begins(Duration at, PlannedFault planned) {
        say(String.format(
                Locale.ROOT,
                "%6.1f s  %-28s %-34s %3.0f s %s",
                at.toMillis() / 1_000.0,
                planned.fault().name(),
                planned.injection().parameters(),
                planned.lasts().toMillis() / 1_000.0,
                counters()));
    }

    public synchronized void sampled(Sample sample) {
        latest = new Sample(
                sample.seconds(),
                Math.max(sample.committed(), latest.committed()),
                Math.max(sample.records(), latest.records()),
                sample.backlog());
        if (terminal) {
            out.print(String.format(Locale.ROOT, "\r\u001b[K%6.1f s  %-69s %s", sample.seconds(), "", counters()));
            out.flush();
        }
    }

    private String counters() {
        return String.format(
                Locale.ROOT,
                "%,10d %,10d %8s",
                latest.committed(),
                latest.records(),
                latest.backlog() < 0 ? "?" : String.format(Locale.ROOT, "%,d", latest.backlog()));
    }
}

package io.waybill.server.cli.outbox;

import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxStatus.LaneStatus;
import io.waybill.admin.OutboxStatus.RelayStatus;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Prints the status as text. */
final class StatusText {
    private static final Duration LAG = Duration.ofMinutes(1);

    private final Output output;
    private final String also;

    /** @param also the flag that commands need to concern this outbox; empty if there is only one */
    StatusText(Output output, String also) {
        this.output = output;
        this.also = also;
    }

    void print(OutboxStatus status, Optional<SagaTotals> sagas) {
        fact("pending", Format.count(status.pending()) + parts(status));
        fact("oldest", status.pending() == 0 ? "-" : Format.age(status.oldestAge()));
        fact("rate", String.format(Locale.ROOT, "%.1f/s published", status.publishedPerSecond()));
        fact("blocked keys", Format.count(status.blockedKeys()));
        fact("dead letters", deadLetters(status.deadLetters()));
        sagas.ifPresent(totals -> fact("sagas", sagas(totals)));
        output.line();
        if (status.liveRelays() == 0) {
            String wait = status.pending() == 0 ? "No relay is running." : "No relay is running: pending events wait.";
            output.line(output.red(wait) + " Start one with `waybill relay`.");
        }
        status.warnings().forEach(warning -> output.line(output.yellow("Warning: ") + TerminalText.escape(warning)));
        relays(status.relays());
        lanes(status.lanes());
    }

    private void fact(String name, String value) {
        output.line(String.format(Locale.ROOT, "%-14s%s", name, value));
    }

    private static String parts(OutboxStatus status) {
        return status.pending() == 0
                ? ""
                : "  (claimed " + Format.count(status.claimed()) + ", retrying " + Format.count(status.retrying())
                        + ", parked " + Format.count(status.parked()) + ")";
    }

    private String deadLetters(long count) {
        return count == 0 ? "0" : output.yellow(Format.count(count)) + "  (`waybill dead-letters list" + also + "`)";
    }

    private String sagas(SagaTotals sagas) {
        String stuck = sagas.stuck() == 0
                ? "0 stuck"
                : output.yellow(Format.count(sagas.stuck()) + " stuck") + " (`waybill sagas list --stuck" + also + "`)";
        String lag = sagas.timerLag().compareTo(LAG) > 0
                ? ", " + output.yellow("due for " + Format.age(sagas.timerLag()))
                        + " without an engine that works on it"
                : "";
        return Format.count(sagas.running()) + " running, " + Format.count(sagas.compensating()) + " compensating, "
                + stuck + (sagas.oldest().isZero() ? "" : ", oldest " + Format.age(sagas.oldest())) + lag;
    }

    private void relays(List<RelayStatus> relays) {
        if (relays.isEmpty()) {
            return;
        }
        Table table = new Table("RELAY", "STATE", "LANES", "PUBLISHED", "RATE", "HEARTBEAT", "PLACE");
        for (RelayStatus relay : relays) {
            table.row(
                    relay.name(),
                    state(relay),
                    Integer.toString(relay.lanes()),
                    Format.count(relay.publishedTotal()),
                    relay.live() ? String.format(Locale.ROOT, "%.1f/s", relay.publishedPerSecond()) : "-",
                    Format.age(relay.sinceHeartbeat()) + " ago",
                    relay.place());
        }
        output.table(table);
    }

    /** A relay whose broker does not answer is not serving: other relays take over its lanes. */
    private static String state(RelayStatus relay) {
        return !relay.live() ? "gone" : relay.serving() ? "live" : "not serving";
    }

    private void lanes(List<LaneStatus> lanes) {
        long free = lanes.stream().filter(lane -> lane.owner().isEmpty()).count();
        long waiting = lanes.stream().filter(LaneStatus::waiting).count();
        output.line();
        output.line(lanes.size() + " lanes, " + (lanes.size() - free) + " owned, " + waiting + " with events waiting");
        for (LaneStatus lane : lanes) {
            if (lane.lag().compareTo(LAG) > 0) {
                output.line(output.yellow("Lane " + lane.lane() + " lags by " + Format.age(lane.lag())) + ", owner "
                        + (lane.owner().isEmpty() ? "none" : lane.owner())
                        + "; retention deletes only events before its oldest waiting event.");
            }
        }
    }
}

package io.waybill.server.http.overview;

import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxStatus.RelayStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.http.overview.Reason.Code;
import io.waybill.server.http.overview.Reason.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Explains why events do not move: the answer to the first question of an operator. */
final class Reasons {
    /** Pending events that are younger than this need no explanation. */
    private static final Duration OLD = Duration.ofSeconds(30);

    private final List<Reason> found = new ArrayList<>();

    private Reasons() {}

    /** Returns the reasons, the worst first; empty if the events flow. */
    static List<Reason> of(
            OutboxStatus status, List<InboxStatus> inbox, Optional<SagaTotals> sagas, List<OutboxPause> pauses) {
        Reasons reasons = new Reasons();
        reasons.relays(status);
        reasons.pauses(pauses);
        reasons.events(status, pauses);
        reasons.inbox(inbox);
        sagas.ifPresent(reasons::sagas);
        reasons.found.sort(Comparator.comparing(Reason::severity));
        return List.copyOf(reasons.found);
    }

    private void add(Code code, Severity severity, String sentence, String remedy, String page) {
        found.add(new Reason(code, severity, sentence, remedy, page));
    }

    private void relays(OutboxStatus status) {
        List<RelayStatus> live =
                status.relays().stream().filter(RelayStatus::live).toList();
        List<RelayStatus> stuck =
                live.stream().filter(relay -> !relay.serving()).toList();
        if (live.isEmpty()) {
            add(
                    Code.NO_RELAY,
                    Severity.ERROR,
                    "No relay is running; " + count(status.pending(), "event waits", "events wait") + ".",
                    "Start a relay with `waybill relay`, or see why the last one ended in its log.",
                    "relays");
        } else if (!stuck.isEmpty()) {
            String names = stuck.stream().map(RelayStatus::name).collect(Collectors.joining(", "));
            boolean all = stuck.size() == live.size();
            add(
                    Code.RELAYS_NOT_SERVING,
                    all ? Severity.ERROR : Severity.WARNING,
                    (all ? "No live relay reaches its broker: " : "Some relays do not reach their broker: ") + names
                            + ".",
                    "Check the broker, then run `waybill doctor` on the machine of the relay.",
                    "relays");
        }
    }

    private void pauses(List<OutboxPause> pauses) {
        for (OutboxPause pause : pauses) {
            boolean everything =
                    pause.scope() == OutboxPause.Scope.RELAY && pause.value().equals(OutboxPause.EVERY_RELAY);
            String what = everything ? "All relays are" : title(pause.scope()) + " " + pause.value() + " is";
            add(
                    Code.PAUSED,
                    everything ? Severity.ERROR : Severity.WARNING,
                    what + " paused by " + pause.actor() + " since " + pause.since()
                            + (pause.until() == null ? "" : " until " + pause.until()) + ": " + pause.reason(),
                    "Resume it when its reason is gone.",
                    "pauses");
        }
    }

    private static String title(OutboxPause.Scope scope) {
        String name = scope.name();
        return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
    }

    private void events(OutboxStatus status, List<OutboxPause> pauses) {
        boolean serving = status.relays().stream().anyMatch(relay -> relay.live() && relay.serving());
        long unowned = status.lanes().stream()
                .filter(lane -> lane.waiting() && lane.owner().isEmpty())
                .count();
        if (serving && unowned > 0) {
            add(
                    Code.LANES_WITHOUT_OWNER,
                    Severity.INFO,
                    count(unowned, "lane with events has", "lanes with events have") + " no relay at this moment.",
                    "A relay takes them within the lease of the relay before. If not, see the log of the relays.",
                    "relays");
        }
        long moving = status.pending() - status.parked() - status.retrying();
        if (serving
                && unowned == 0
                && pauses.isEmpty()
                && moving > 0
                && status.oldestAge().compareTo(OLD) > 0
                && status.retrying() == 0) {
            add(
                    Code.BACKLOG,
                    Severity.INFO,
                    "The oldest of " + count(moving, "pending event has", "pending events has") + " waited for "
                            + status.oldestAge().toSeconds() + " seconds, although relays publish.",
                    "Compare the rates in and out. If events arrive faster than they leave, start another relay.",
                    "relays");
        }
        if (status.retrying() > 0) {
            add(
                    Code.RETRYING,
                    Severity.WARNING,
                    count(status.retrying(), "event failed and waits", "events failed and wait")
                            + " for the next attempt.",
                    "See the errors; retry after you have removed their cause.",
                    "failures");
        }
        if (status.blockedKeys() > 0) {
            add(
                    Code.KEYS_BLOCKED,
                    Severity.WARNING,
                    count(status.blockedKeys(), "key is", "keys are") + " blocked by the first event; "
                            + count(status.parked(), "later event waits", "later events wait") + " behind.",
                    "Repair, skip or release the first event of each key.",
                    "keys");
        }
        if (status.deadLetters() > 0) {
            add(
                    Code.DEAD_LETTERS,
                    Severity.WARNING,
                    count(status.deadLetters(), "dead letter needs", "dead letters need") + " a decision.",
                    "Remove the cause and replay them, or discard them.",
                    "failures");
        }
        status.warnings()
                .forEach(warning ->
                        add(Code.WARNING, Severity.WARNING, warning, "Run `waybill doctor` for details.", "relays"));
    }

    private void inbox(List<InboxStatus> groups) {
        for (InboxStatus group : groups) {
            if (group.pausedConsumers() > 0) {
                add(
                        Code.INBOX_PAUSED,
                        Severity.ERROR,
                        "The group " + group.group() + " is paused since " + group.pausedSince() + ": "
                                + group.pauseReason(),
                        "Remove the cause; the group tries again by itself.",
                        "inbox");
            }
            if (group.deadLetters() > 0) {
                add(
                        Code.INBOX_DEAD_LETTERS,
                        Severity.WARNING,
                        "The group " + group.group() + " has "
                                + count(group.deadLetters(), "dead letter", "dead letters") + ".",
                        "Remove the cause and replay them, or discard them.",
                        "inbox");
            }
        }
    }

    private void sagas(SagaTotals totals) {
        if (totals.stuck() > 0) {
            add(
                    Code.SAGAS_STUCK,
                    Severity.WARNING,
                    count(totals.stuck(), "saga waits", "sagas wait") + " for a person.",
                    "Retry, skip or resolve the step that waits.",
                    "sagas");
        }
    }

    private static String count(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}

package io.waybill.server.cli.outbox;

import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.InboxStatus;
import java.util.ArrayList;
import java.util.List;

/** Adds a warning to the status of an outbox for each paused consumer group in the same database. */
final class PausedGroups {
    private PausedGroups() {}

    static OutboxStatus addTo(OutboxStatus status, List<InboxStatus> groups) {
        List<String> warnings = new ArrayList<>(status.warnings());
        for (InboxStatus group : groups) {
            if (group.pausedConsumers() > 0) {
                warnings.add("Inbox group " + group.group() + " has been paused since " + group.pausedSince() + ": "
                        + group.pauseReason() + " See `waybill inbox status`.");
            }
        }
        return new OutboxStatus(
                status.at(),
                status.pending(),
                status.claimed(),
                status.retrying(),
                status.parked(),
                status.blockedKeys(),
                status.deadLetters(),
                status.oldestAge(),
                status.publishedPerSecond(),
                status.relays(),
                status.lanes(),
                List.copyOf(warnings));
    }
}

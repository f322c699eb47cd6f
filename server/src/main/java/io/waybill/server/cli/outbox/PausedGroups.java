package io.waybill.server.cli.outbox;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Adds a warning to the status of an outbox for each paused consumer group in the same database. */
final class PausedGroups {
    private PausedGroups() {}

    static OutboxStatus addTo(OutboxStatus status, DataSource source) {
        List<String> warnings = new ArrayList<>(status.warnings());
        for (InboxStatus group : groups(source)) {
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

    /** Returns no group if there are no inbox tables or this role may not read them; `waybill doctor` reports the latter. */
    private static List<InboxStatus> groups(DataSource source) {
        try {
            return InboxSchema.problems(source).isEmpty()
                    ? JdbcInbox.on(source).view().status()
                    : List.of();
        } catch (WaybillException e) {
            return List.of();
        }
    }
}

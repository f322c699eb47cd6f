package io.waybill.inbox;

import java.util.List;

/** Read-only view of inboxes, for operators and metrics. Works without a running consumer. */
public interface InboxView {
    /** Returns all groups of this database, sorted by name. */
    List<InboxStatus> status();

    /** Returns the status of one group; all counts are zero if the group is unknown. */
    InboxStatus status(String group);
}

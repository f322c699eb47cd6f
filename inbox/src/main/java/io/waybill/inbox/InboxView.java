package io.waybill.inbox;

import java.util.List;

/** Reads inboxes for people and metrics; changes nothing and needs no consumer. */
public interface InboxView {
    /** All groups of this database, by name. */
    List<InboxStatus> status();

    /** One group, all zero when nothing is known of it. */
    InboxStatus status(String group);
}

package io.waybill.admin;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads an outbox for people and metrics; changes nothing and needs no relay. */
public interface OutboxView {
    int LARGEST_PAGE = 1_000;

    OutboxStatus status();

    /**
     * Events that match: those still open first, oldest first, then dead letters and the settled ones, newest first.
     *
     * @param limit at most {@link #LARGEST_PAGE}
     */
    List<EventRecord> events(EventFilter filter, int limit);

    Optional<EventRecord> event(UUID id);

    /** What operators did to this event, oldest first. */
    List<AuditEntry> history(UUID id);
}

package io.waybill.admin;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Read-only view of an outbox, for operators and metrics. Works without a running relay. */
public interface OutboxView {
    int LARGEST_PAGE = 1_000;

    OutboxStatus status();

    /**
     * Returns matching events: first pending ones, oldest first, then dead letters and settled events, newest first.
     *
     * @param limit at most {@link #LARGEST_PAGE}
     */
    List<EventRecord> events(EventFilter filter, int limit);

    Optional<EventRecord> event(UUID id);

    /** Returns the operator actions on this event, oldest first. */
    List<AuditEntry> history(UUID id);
}

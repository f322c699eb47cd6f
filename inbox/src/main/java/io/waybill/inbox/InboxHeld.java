package io.waybill.inbox;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.Page;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators see and do with the events that consumer groups hold: events that are retried, and events that wait behind them. Each
 * call that changes data is one transaction and writes exactly one audit row. Events that a consumer is handling now are not changed.
 */
public interface InboxHeld {
    /** The maximum number of events that one call lists or changes. */
    int LARGEST_BULK = 1_000;

    /**
     * Returns the held events of a group, sorted by event id.
     *
     * @param cursor see {@link Page#next}; null for the first page
     */
    Page<HeldRecord> list(String group, @Nullable String cursor, int limit);

    /**
     * Makes events due now that wait for a retry or for the previous version of their entity. Their attempts stay counted.
     *
     * @return the ids of the changed events
     */
    List<UUID> retryNow(String group, List<UUID> eventIds, Decision decision);

    /**
     * Turns events that wait for a retry or for the previous version of their entity into dead letters. Later events of their entities
     * continue.
     *
     * @return the ids of the changed events
     */
    List<UUID> giveUp(String group, List<UUID> eventIds, Decision decision);
}

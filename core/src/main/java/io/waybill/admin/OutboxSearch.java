package io.waybill.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists for operators, in pages. Each call reads a limited number of rows along an index, whatever the size of the outbox.
 *
 * <p>A cursor is the value of {@link Page#next} of the page before; null selects the first page. A cursor belongs to the method and the
 * filter that returned it. Events that change their state between two pages can be missing or appear twice.
 *
 * <p>Limits are at most {@link OutboxView#LARGEST_PAGE}; higher values are lowered to it.
 */
public interface OutboxSearch {
    /** The number of events that one page of {@link #events} or {@link #trail} examines. */
    int MOST_EXAMINED = 10_000;

    /** Returns matching events: open ones, oldest first, then dead letters, then settled ones, newest first. */
    Page<EventRecord> events(EventFilter filter, @Nullable String cursor, int limit);

    /** Groups the newest failed events: those that wait for a retry, and dead letters. */
    FailureGroups failureGroups();

    /** Returns the blocked keys, sorted by key. */
    Page<BlockedKey> blockedKeys(@Nullable String cursor, int limit);

    /** Returns the events of a key in their order, whatever their state. */
    Page<EventRecord> trail(String key, @Nullable String cursor, int limit);

    /** Returns operator actions, newest first. */
    Page<AuditEntry> audit(AuditFilter filter, @Nullable String cursor, int limit);

    /** Returns the pauses that have not ended. */
    List<OutboxPause> pauses();
}

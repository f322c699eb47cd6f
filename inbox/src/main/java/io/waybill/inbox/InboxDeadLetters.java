package io.waybill.inbox;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Operator actions on the dead letters of consumer groups. Each call that changes data is one transaction and writes exactly one audit
 * row. Events that are not dead letters of the given group are never changed.
 */
public interface InboxDeadLetters {
    /** The maximum number of dead letters that one call lists or changes. */
    int LARGEST_BULK = 1_000;

    /**
     * Returns the matching dead letters, oldest first.
     *
     * @param group null for all groups
     * @param filter its state is ignored; ages are measured from the time the event became a dead letter
     */
    List<DeadLetter> list(@Nullable String group, EventFilter filter, int limit);

    Optional<DeadLetter> find(String group, UUID eventId);

    /**
     * Returns dead letters to the group, with the same event id and no counted attempts. The consumers of the group apply them
     * without the broker. Later events of their keys may already have been processed; events of these keys that arrive from now
     * on wait until the replayed events are finished.
     *
     * @return the ids of the events that were dead letters and are due now
     */
    List<UUID> replay(String group, List<UUID> eventIds, Decision decision);

    /** Discards dead letters permanently. If the broker delivers them again, they count as duplicates. */
    List<UUID> discard(String group, List<UUID> eventIds, Decision decision);

    /** Returns the operator actions on this event of the group, oldest first. */
    List<AuditEntry> history(String group, UUID eventId);
}

package io.waybill.inbox;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a person can do about events that a consumer group has given up on. Each call that changes something is one transaction
 * and leaves exactly one audit row. Events that are no dead letters of the group are never touched, nor are other groups.
 */
public interface InboxDeadLetters {
    /** Most dead letters that one call lists or changes. */
    int LARGEST_BULK = 1_000;

    /**
     * Those that match, oldest first.
     *
     * @param group null for all groups
     * @param filter its state does not matter, and ages count from when they were given up on
     */
    List<DeadLetter> list(@Nullable String group, EventFilter filter, int limit);

    Optional<DeadLetter> find(String group, UUID eventId);

    /**
     * Gives them back to the group, with the same event id and a fresh count of attempts; the group's consumers apply them
     * without the broker. Later events of their keys may have been processed meanwhile; those that come now wait.
     *
     * @return the ids that were dead letters and are due now
     */
    List<UUID> replay(String group, List<UUID> eventIds, Decision decision);

    /** Drops them for good; should the broker deliver them again, they count as duplicates. */
    List<UUID> discard(String group, List<UUID> eventIds, Decision decision);

    /** What operators did to this event of the group, oldest first. */
    List<AuditEntry> history(String group, UUID eventId);
}

package io.waybill.admin;

import io.waybill.WaybillException;
import java.util.List;
import java.util.UUID;

/**
 * What a person can do about events that were given up on. Each call that changes something is one transaction and leaves
 * exactly one audit row. Events that are no dead letters are never touched.
 */
public interface DeadLetters {
    /** Most events that one call changes. */
    int LARGEST_BULK = 1_000;

    /** The ids of the dead letters that match, oldest first: what {@link #replay} or {@link #discard} would change. */
    List<UUID> matching(EventFilter filter, int limit);

    /**
     * Makes them pending again with a fresh count of attempts. Later events of their keys may have been published
     * meanwhile, unless dead letters block their keys.
     *
     * @return the ids that were dead letters and are pending now
     */
    List<UUID> replay(List<UUID> ids, Decision decision);

    /**
     * As {@link #replay}, for events whose topic was wrong: sets the topic of each first. The audit row names the topic.
     *
     * @throws WaybillException also when no event may have this topic
     */
    List<UUID> replayTo(String topic, List<UUID> ids, Decision decision);

    /** Drops them for good; a key that they blocked goes on. */
    List<UUID> discard(List<UUID> ids, Decision decision);

    /** Who decided, and why; both are recorded. */
    record Decision(String actor, String reason) {
        public Decision {
            if (actor.isBlank() || reason.isBlank()) {
                throw new WaybillException(
                        "An operator action needs an actor and a reason; both are kept in the audit table.");
            }
        }
    }
}

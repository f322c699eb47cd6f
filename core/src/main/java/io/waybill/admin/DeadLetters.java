package io.waybill.admin;

import io.waybill.WaybillException;
import java.util.List;
import java.util.UUID;

/**
 * Operator actions on dead letters. Each call that changes data is one transaction and writes exactly one audit row. Events that are
 * not dead letters are never changed.
 */
public interface DeadLetters {
    /** Maximum number of events that one call changes. */
    int LARGEST_BULK = 1_000;

    /** Returns the ids of the matching dead letters, oldest first. */
    List<UUID> matching(EventFilter filter, int limit);

    /**
     * Makes dead letters pending again and resets their attempts. Later events of their keys may already have been published, unless
     * dead letters block their keys.
     *
     * @return the ids of the events that were dead letters and are pending now
     */
    List<UUID> replay(List<UUID> ids, Decision decision);

    /**
     * Sets the topic of dead letters and replays them, for events whose topic was wrong. The audit row contains the topic.
     *
     * @throws WaybillException also if the topic is not valid
     */
    List<UUID> replayTo(String topic, List<UUID> ids, Decision decision);

    /** Discards dead letters permanently. Keys that they blocked continue with their next event. */
    List<UUID> discard(List<UUID> ids, Decision decision);

    /** The actor and the reason of an operator action; both are recorded. */
    record Decision(String actor, String reason) {
        public Decision {
            if (actor.isBlank() || reason.isBlank()) {
                throw new WaybillException(
                        "An operator action needs an actor and a reason; both are kept in the audit table.");
            }
        }
    }
}

package io.waybill.chaos.check;

/**
 * The numbers of a run.
 *
 * @param attempted events that writers tried to write
 * @param acknowledged of these, told to be committed
 * @param failed told not to be committed
 * @param unknown told nothing: COMMIT was sent and its answer got lost, or the writer died
 * @param unknownKept of these, found in the database afterwards
 * @param committed events that the database kept
 * @param unkept acknowledged and not kept
 * @param delivered different committed events on the topic
 * @param records on the topic, repeated ones too
 * @param duplicatesAllowed what may have been in flight at all crashes together
 * @param windows how often a relay may have repeated what it had in flight
 * @param effectsExpected events that were delivered
 * @param effectsApplied rows in the consumers' ledger
 * @param drainSeconds from the end of the last fault to the end of the backlog
 * @param relayRestarts relays that ended by themselves and were started again
 */
public record Tally(
        int attempted,
        int acknowledged,
        int failed,
        int unknown,
        int unknownKept,
        int committed,
        int unkept,
        int delivered,
        int records,
        int deadLetters,
        int lost,
        int ghosts,
        int corrupt,
        int misordered,
        int duplicates,
        int duplicatesAllowed,
        int windows,
        int effectsExpected,
        long effectsApplied,
        int effectsDoubled,
        int effectsMissing,
        double drainSeconds,
        int relayRestarts) {}

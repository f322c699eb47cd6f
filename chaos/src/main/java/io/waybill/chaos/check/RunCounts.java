package io.waybill.chaos.check;

/**
 * The counts of a run.
 *
 * @param attempted events that writers tried to append
 * @param acknowledged attempts whose commit was confirmed
 * @param failed attempts that were rolled back
 * @param unknown attempts without a result: the answer to COMMIT was lost, or the writer died
 * @param unknownKept unknown attempts that are in the database
 * @param committed events in the database
 * @param unkept confirmed events that are not in the database
 * @param delivered distinct committed events on the topic
 * @param records all records on the topic, including duplicates
 * @param duplicatesAllowed the largest possible number of messages in flight at all crashes together
 * @param interruptions the number of interruptions after which a relay may have repeated messages in flight
 * @param effectsExpected events that were delivered
 * @param effectsApplied rows in the table of the consumers
 * @param drainSeconds the time from the last fault until the backlog was published
 * @param relayRestarts unexpected ends of relays
 */
public record RunCounts(
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
        int interruptions,
        int effectsExpected,
        long effectsApplied,
        int effectsDoubled,
        int effectsMissing,
        double drainSeconds,
        int relayRestarts) {}

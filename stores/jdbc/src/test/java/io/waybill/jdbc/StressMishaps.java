package io.waybill.jdbc;

import java.util.List;
import java.util.Random;

/**
 * The mishaps of the relays in a stress test. Each number is the average number of batches or events per mishap.
 *
 * @param death the relay ends with its batch unsettled
 * @param lostAnswer the answer to a settlement is lost
 * @param outage the broker fails in the middle of a batch
 * @param failure an event is refused and retried
 * @param deadLetter an event becomes a dead letter
 * @param largestBatch the largest number of events in a claim
 * @param rash a seeded bug: a key continues before the dead letter of one of its events is recorded
 */
record StressMishaps(
        int death, int lostAnswer, int outage, int failure, int deadLetter, int largestBatch, boolean rash) {
    private static final int NEVER = Integer.MAX_VALUE;

    /** No mishaps, for the end of a run, when the outbox must drain. */
    static final StressMishaps HEALED = new StressMishaps(NEVER, NEVER, NEVER, NEVER, NEVER, 500, false);

    static StressMishaps drawn(Random random) {
        return new StressMishaps(
                pick(random, 40, 15, 5),
                pick(random, 30, 10, 4),
                pick(random, 20, 10, 3),
                pick(random, 80, 40, 15),
                pick(random, 600, 300, 60),
                pick(random, 3, 20, 100, 1_000),
                false);
    }

    /** Frequent deaths and dead letters, so that the seeded bug is detected within seconds. */
    static StressMishaps rash(boolean rash) {
        return new StressMishaps(3, 20, 20, 80, 30, 100, rash);
    }

    private static int pick(Random random, Integer... choices) {
        return List.of(choices).get(random.nextInt(choices.length));
    }
}

package io.waybill.jdbc;

import java.util.List;
import java.util.Random;

/**
 * What happens to the relays of a stress run: each of these once in so many batches or events.
 *
 * @param death it ends with its batch unsettled
 * @param lostAnswer the answer to a settlement gets lost
 * @param outage the broker fails in the middle of a batch
 * @param failure an event is refused and tried again
 * @param deadLetter an event is given up on
 * @param largestBatch up to how many events are claimed at once
 * @param rash whether a key goes on before it is recorded that one of its events was given up on: a mistake
 */
record StressMishaps(
        int death, int lostAnswer, int outage, int failure, int deadLetter, int largestBatch, boolean rash) {
    private static final int NEVER = Integer.MAX_VALUE;

    /** The end of a run: what is left must drain. */
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

    /** Deaths and dead letters so often that going on too early shows within seconds. */
    static StressMishaps rash(boolean rash) {
        return new StressMishaps(3, 20, 20, 80, 30, 100, rash);
    }

    private static int pick(Random random, Integer... choices) {
        return List.of(choices).get(random.nextInt(choices.length));
    }
}

package io.waybill.faults.simulation;

import io.waybill.relay.OnDeadLetter;
import java.util.SplittableRandom;

/** The parameters of a run, drawn from its seed: the number of relays, writers, keys and so on, and the kinds of faults. */
record RunParameters(
        int relays,
        int workers,
        int batchSize,
        int lanes,
        int keys,
        int writers,
        int transactions,
        boolean sendsInOrder,
        OnDeadLetter onDeadLetter,
        boolean kills,
        boolean freezes,
        boolean restarts,
        boolean slowness,
        boolean clockJumps,
        boolean cuts,
        boolean lostAnswers,
        boolean databaseCrashes,
        boolean asynchronousCommits,
        boolean brokerOutages,
        boolean lostAcks,
        boolean rejections,
        boolean poison,
        boolean pauses) {

    static RunParameters draw(SplittableRandom random) {
        boolean calm = random.nextInt(12) == 0;
        return new RunParameters(
                1 + random.nextInt(3),
                1 + random.nextInt(2),
                new int[] {1, 2, 4, 9, 100}[random.nextInt(5)],
                1 + random.nextInt(3),
                1 + random.nextInt(4),
                1 + random.nextInt(3),
                4 + random.nextInt(20),
                random.nextBoolean(),
                random.nextInt(3) == 0 ? OnDeadLetter.BLOCK : OnDeadLetter.CONTINUE,
                some(random, calm),
                some(random, calm),
                some(random, calm),
                some(random, calm),
                some(random, calm),
                some(random, calm),
                some(random, calm),
                some(random, calm),
                random.nextInt(3) == 0,
                some(random, calm),
                some(random, calm),
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0);
    }

    private static boolean some(SplittableRandom random, boolean calm) {
        return random.nextInt(3) == 0 && !calm;
    }

    /** Whether no fault can make a relay send an event twice. */
    boolean calm() {
        return !(kills
                || freezes
                || restarts
                || slowness
                || clockJumps
                || cuts
                || lostAnswers
                || databaseCrashes
                || brokerOutages
                || lostAcks);
    }
}

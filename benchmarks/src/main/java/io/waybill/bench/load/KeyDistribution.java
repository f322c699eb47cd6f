package io.waybill.bench.load;

import java.util.SplittableRandom;

/** The distribution of events over keys, in SQL and in Java. */
public enum KeyDistribution {
    /** All keys have the same number of events. */
    EVEN {
        @Override
        String sql(int keys) {
            return "floor(random() * " + keys + ")::int";
        }

        @Override
        int pick(SplittableRandom random, int keys) {
            return random.nextInt(keys);
        }
    },
    /** One key has all events. */
    ONE_KEY {
        @Override
        String sql(int keys) {
            return "0";
        }

        @Override
        int pick(SplittableRandom random, int keys) {
            return 0;
        }
    },
    /** 1 % of the keys have half of the events. */
    HOT {
        @Override
        String sql(int keys) {
            return "floor(random() * CASE WHEN random() < 0.5 THEN " + hot(keys) + " ELSE " + keys + " END)::int";
        }

        @Override
        int pick(SplittableRandom random, int keys) {
            return random.nextInt(random.nextBoolean() ? hot(keys) : keys);
        }
    };

    /** Returns an SQL expression for the number of a key below {@code keys}. */
    abstract String sql(int keys);

    abstract int pick(SplittableRandom random, int keys);

    private static int hot(int keys) {
        return Math.max(1, keys / 100);
    }
}

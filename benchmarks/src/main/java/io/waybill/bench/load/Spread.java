package io.waybill.bench.load;

import java.util.SplittableRandom;

/** How events spread over the keys; the same law in SQL and in Java. */
public enum Spread {
    /** Every key alike. */
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
    /** One key has them all. */
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
    /** One key in a hundred shares half of the events. */
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

    /** An expression for the number of a key below {@code keys}. */
    abstract String sql(int keys);

    abstract int pick(SplittableRandom random, int keys);

    private static int hot(int keys) {
        return Math.max(1, keys / 100);
    }
}

package io.waybill.random;

import java.lang.StackWalker.StackFrame;
import java.util.SplittableRandom;

/**
 * Checks a property with many random cases. Each run of the tests draws new cases. Each case has its own seed, and a case that fails
 * reports its seed, the values that it drew, and the command that repeats this case alone:
 *
 * <pre>{@code
 * @Test
 * void aSizeIsReadAsItIsPrinted() {
 *     RandomCases.check(500, draw -> {
 *         int bytes = draw.integer(1, Integer.MAX_VALUE);
 *         assertThat(Sizes.parse(Sizes.print(bytes))).isEqualTo(bytes);
 *     });
 * }
 * }</pre>
 */
public final class RandomCases {
    /** System property: the seed of the only case to run. */
    public static final String SEED = "waybill.seed";

    private RandomCases() {}

    /** What must hold for every case. */
    @FunctionalInterface
    public interface Property {
        void check(Draw draw) throws Exception;
    }

    /**
     * Checks the property with as many cases, or with one case if the system property {@value #SEED} names its seed. Call it from the
     * test method itself: the command in the failure message names the calling method.
     *
     * @throws AssertionError if a case fails; its cause is what the property has thrown
     */
    public static void check(int cases, Property property) {
        StackFrame test = StackWalker.getInstance()
                .walk(frames -> frames.skip(1)
                        .filter(frame -> !frame.getClassName().equals(RandomCases.class.getName()))
                        .findFirst()
                        .orElseThrow());
        Long only = Long.getLong(SEED);
        if (only != null) {
            checkOne(only, property, test);
            return;
        }
        SplittableRandom seeds = new SplittableRandom();
        for (int i = 0; i < cases; i++) {
            checkOne(seeds.nextLong(), property, test);
        }
    }

    private static void checkOne(long seed, Property property, StackFrame test) {
        Draw draw = new Draw(seed);
        try {
            property.check(draw);
        } catch (Exception | AssertionError | StackOverflowError failure) {
            throw new AssertionError(report(seed, draw, test, failure), failure);
        }
    }

    private static String report(long seed, Draw draw, StackFrame test, Throwable failure) {
        String name = test.getClassName();
        return String.format(
                "The case with seed %d failed.%n  drawn:  %s%n  repeat: ./waybill test %s#%s -D%s=%d%n%s",
                seed, draw, name.substring(name.lastIndexOf('.') + 1), test.getMethodName(), SEED, seed, failure);
    }
}

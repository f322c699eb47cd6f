package io.waybill.saga.test;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The points at which a process can crash: the begin and the commit of each transaction, and each write in it. The last two points of
 * a transaction lie before and after its commit; delivery of an event is acknowledged after that.
 *
 * <p>{@link #each} repeats a scenario once for each point, crashes the process there, and lets another one continue:
 *
 * <pre>{@code
 * CrashPoints.each(
 *         () -> SagaScenario.of(placeOrder, order).participant("stock.reserve", stock) …,
 *         scenario -> scenario.expectStatus(SagaStatus.COMPLETED));
 * }</pre>
 */
public final class CrashPoints {
    private int passed;
    private int crashAt = -1;
    private boolean crashed;

    CrashPoints() {}

    /** The process ended. It rolls back the transaction in progress, and nothing in that process runs any more. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        Crash(String point) {
            super(point, null, false, false);
        }
    }

    /**
     * Runs a scenario without a crash, and then once for each point that this run has passed. Each run delivers all events to the
     * scenario's participants and to the saga, lets time pass while the saga waits for it, and ends when nothing is left to do.
     *
     * @param scenario makes a new scenario, with participants, that was not started
     * @param expectation what must hold after each run
     * @return the number of points
     */
    public static <D> int each(Supplier<SagaScenario<D>> scenario, Consumer<SagaScenario<D>> expectation) {
        SagaScenario<D> calm = scenario.get();
        calm.crashPoints().crashAt(-1);
        calm.runToEnd();
        expectation.accept(calm);
        int points = calm.crashPoints().passed;
        for (int point = 0; point < points; point++) {
            SagaScenario<D> run = scenario.get();
            run.crashPoints().crashAt(point);
            String place = run.runToEnd();
            try {
                expectation.accept(run);
            } catch (AssertionError e) {
                throw new AssertionError("After a crash at point " + point + ", " + place + ": " + e.getMessage(), e);
            }
        }
        return points;
    }

    void pass(String point) {
        if (crashed) {
            throw new Crash(point); // the process has ended already
        }
        if (passed++ == crashAt) {
            crashed = true;
            throw new Crash(point);
        }
    }

    /** Another process continues. */
    void restarted() {
        crashed = false;
    }

    /** @param point the number of the point, or -1 for none */
    private void crashAt(int point) {
        crashAt = point;
        crashed = false;
        passed = 0;
    }
}

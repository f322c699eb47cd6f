package io.waybill.saga.test;

import io.waybill.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Repeats a scenario with its messages in many orders: commands and replies overtake each other, arrive twice, and arrive so late that
 * the saga no longer waits for them. The seed determines each run.
 *
 * <pre>{@code
 * Interleavings.each(500,
 *         () -> SagaScenario.of(placeOrder, order).participant("stock.reserve", stock) …,
 *         scenario -> assertThat(stockLevel(scenario)).isEqualTo(…));
 * }</pre>
 */
public final class Interleavings {
    private static final int MOST_ACTIONS = 2_000;

    private Interleavings() {}

    /**
     * Runs the scenario once for each of the seeds 1 to {@code runs}. Every event arrives in the end.
     *
     * @param scenario makes a new scenario, with participants, that was not started
     * @param expectation what must hold after each run, whatever the order was
     */
    public static <D> void each(int runs, Supplier<SagaScenario<D>> scenario, Consumer<SagaScenario<D>> expectation) {
        for (long seed = 1; seed <= runs; seed++) {
            one(seed, scenario.get(), expectation);
        }
    }

    /** Runs one seed, to repeat a run that has failed. */
    public static <D> void one(long seed, SagaScenario<D> scenario, Consumer<SagaScenario<D>> expectation) {
        try {
            run(new SplittableRandom(seed), scenario);
            expectation.accept(scenario);
        } catch (AssertionError e) {
            throw new AssertionError("With seed " + seed + " (repeat it with Interleavings.one): " + e.getMessage(), e);
        }
    }

    private static <D> void run(SplittableRandom random, SagaScenario<D> scenario) {
        scenario.start();
        List<Event> delivered = new ArrayList<>();
        for (int action = 0; action < MOST_ACTIONS; action++) {
            List<Event> open = scenario.undelivered();
            Optional<Instant> wake = scenario.store().nextWake();
            if (open.isEmpty() && (wake.isEmpty() || scenario.stored().ended())) {
                return;
            }
            int choice = random.nextInt(10);
            if (choice < 2 && wake.isPresent()) {
                pass(scenario, wake.get());
            } else if (choice == 2 && !delivered.isEmpty()) {
                scenario.redeliver(delivered.get(random.nextInt(delivered.size())));
            } else if (!open.isEmpty()) {
                Event event = open.get(random.nextInt(open.size()));
                scenario.handle(event);
                delivered.add(event);
            } else if (wake.isPresent()) {
                pass(scenario, wake.get());
            }
        }
        throw new AssertionError("The scenario does not end.");
    }

    private static void pass(SagaScenario<?> scenario, Instant wake) {
        Duration wait = Duration.between(scenario.store().now(), wake);
        scenario.store().advance(wait.isNegative() || wait.isZero() ? Duration.ofMillis(1) : wait);
        scenario.run();
    }
}

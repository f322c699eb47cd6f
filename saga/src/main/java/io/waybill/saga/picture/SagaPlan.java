package io.waybill.saga.picture;

import io.waybill.saga.StepRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dry run of a definition: what runs in parallel, how long the sagas may take, and what is undone when a step fails.
 *
 * @param layers the steps of a layer can run in parallel, after those of the layers before
 * @param criticalPath the chain of steps whose time-outs add up to the longest time
 * @param longest the sum of these time-outs, for one attempt of each step; steps without a limit count nothing
 * @param pivot null for a definition without one
 */
public record SagaPlan(
        SagaOutline outline,
        List<List<String>> layers,
        List<String> criticalPath,
        Duration longest,
        @Nullable String pivot,
        List<Failure> failures) {
    public SagaPlan {
        layers = List.copyOf(layers);
        criticalPath = List.copyOf(criticalPath);
        failures = List.copyOf(failures);
    }

    /** What a failure of the saga at one step leads to. */
    public enum Consequence {
        /** The transaction of an atomic saga is rolled back. */
        ROLLBACK,
        /** The steps of {@link Failure#undone} are undone, as far as they have begun. */
        COMPENSATION,
        /** The step is repeated until it succeeds, or until a rule or a person decides. */
        FORWARD_RECOVERY
    }

    /**
     * A failure at one step, after its last attempt.
     *
     * @param undone the steps that are undone, in rounds: those of a round in parallel, after those of the rounds before. Contains the
     *     failed step itself if it has a compensation: it is undone when it is in doubt.
     * @param remaining the steps before this one whose effect remains, because they have no compensation
     */
    public record Failure(String step, Consequence consequence, List<List<String>> undone, List<String> remaining) {
        public Failure {
            undone = List.copyOf(undone);
            remaining = List.copyOf(remaining);
        }
    }

    public static SagaPlan of(SagaOutline outline) {
        return new Planner(outline).plan();
    }

    private static final class Planner {
        private final SagaOutline outline;
        private final Map<String, Set<String>> ancestors = new HashMap<>();

        Planner(SagaOutline outline) {
            this.outline = outline;
            for (SagaOutline.Step step : outline.steps()) { // each one after those that it depends on
                Set<String> all = new LinkedHashSet<>();
                for (String before : step.after()) {
                    all.addAll(ancestors.getOrDefault(before, Set.of()));
                    all.add(before);
                }
                ancestors.put(step.name(), all);
            }
        }

        SagaPlan plan() {
            List<String> path = outline.criticalPath();
            long millis = outline.steps().stream()
                    .filter(step -> path.contains(step.name()))
                    .mapToLong(step -> Optional.ofNullable(step.timeoutMillis()).orElse(0L))
                    .sum();
            Optional<String> pivot = outline.steps().stream()
                    .filter(step -> step.role() == StepRole.PIVOT)
                    .map(SagaOutline.Step::name)
                    .findFirst();
            return new SagaPlan(
                    outline,
                    outline.layers(),
                    path,
                    Duration.ofMillis(millis),
                    pivot.orElse(null),
                    outline.steps().stream().map(step -> failure(step, pivot)).toList());
        }

        private Failure failure(SagaOutline.Step failed, Optional<String> pivot) {
            if (outline.atomic()) {
                return new Failure(failed.name(), Consequence.ROLLBACK, List.of(), List.of());
            }
            if (pivot.isPresent() && isAfter(failed.name(), pivot.get())) {
                return new Failure(failed.name(), Consequence.FORWARD_RECOVERY, List.of(), List.of());
            }
            List<String> undone = new ArrayList<>();
            List<String> remaining = new ArrayList<>();
            for (SagaOutline.Step step : outline.steps()) {
                boolean mayHaveBegun = !isAfter(step.name(), failed.name())
                        && !(pivot.isPresent() && isAfter(step.name(), pivot.get()));
                if (mayHaveBegun && step.compensation() != null) {
                    undone.add(step.name());
                } else if (step.role() == StepRole.COMPENSATABLE && isAfter(failed.name(), step.name())) {
                    remaining.add(step.name());
                }
            }
            return new Failure(failed.name(), Consequence.COMPENSATION, rounds(undone), remaining);
        }

        private boolean isAfter(String step, String other) {
            return ancestors.getOrDefault(step, Set.of()).contains(other);
        }

        /** Each step belongs to the round after the last one of the steps that depend on it. */
        private List<List<String>> rounds(List<String> undone) {
            Map<String, Integer> round = new HashMap<>();
            List<List<String>> rounds = new ArrayList<>();
            for (int i = undone.size() - 1; i >= 0; i--) {
                String step = undone.get(i);
                int number = undone.subList(i + 1, undone.size()).stream()
                        .filter(later -> isAfter(later, step))
                        .mapToInt(later -> round.getOrDefault(later, 0) + 1)
                        .max()
                        .orElse(0);
                round.put(step, number);
                while (rounds.size() <= number) {
                    rounds.add(new ArrayList<>());
                }
                rounds.get(number).add(step);
            }
            return rounds.stream().map(List::copyOf).toList();
        }
    }
}

package io.waybill.saga.picture;

import io.waybill.WaybillException;
import io.waybill.saga.CompensationKind;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A definition without its code: its steps and how they depend on each other. Stored beside the executions, so that programs without
 * the definition can show them.
 */
public record SagaOutline(String name, int version, boolean atomic, List<Step> steps) {
    public SagaOutline {
        steps = List.copyOf(steps);
    }

    /**
     * @param kind local, command, external, await, delay or child
     * @param timeoutMillis of one attempt; null without a limit
     * @param compensation null for a step that is not undone
     */
    public record Step(
            String name,
            String kind,
            StepRole role,
            List<String> after,
            @Nullable Long timeoutMillis,
            @Nullable CompensationKind compensation) {
        public Step {
            after = List.copyOf(after);
        }

        /** What must not change while the version stays the same. */
        private List<Object> shape() {
            return List.of(name, kind, role, after, Optional.ofNullable(compensation));
        }
    }

    public static SagaOutline of(Saga<?> saga) {
        List<Step> steps = new ArrayList<>();
        for (SagaStep<?> step : saga.steps()) {
            Duration timeout = step.timeout();
            SagaStep.Compensation<?> compensation = step.compensation();
            steps.add(new Step(
                    step.name(),
                    step.action().kind(),
                    step.role(),
                    step.after(),
                    timeout == null ? null : timeout.toMillis(),
                    compensation == null ? null : compensation.kind()));
        }
        return new SagaOutline(saga.name(), saga.version(), saga.isAtomic(), steps);
    }

    public String toJson() {
        return SagaJson.DEFAULT.write(this);
    }

    public static SagaOutline fromJson(String json) {
        return SagaJson.DEFAULT.read(json, SagaOutline.class);
    }

    /**
     * @param stored what an engine has stored for this name and version before
     * @throws WaybillException if the steps differ: executions of the stored ones could not be continued
     */
    public void requireSameShape(SagaOutline stored) {
        List<List<Object>> now = steps.stream().map(Step::shape).toList();
        List<List<Object>> before = stored.steps.stream().map(Step::shape).toList();
        if (!now.equals(before)) {
            throw new WaybillException("The steps of saga " + name + " version " + version
                    + " differ from those with which it was first run. Give the changed definition a new version, and keep the"
                    + " old one until its executions have ended, or migrate them with migrateFrom(" + version
                    + ", …).");
        }
    }

    /** Returns the steps in layers: those of a layer can run in parallel, after those of the layers before. */
    public List<List<String>> layers() {
        Map<String, Integer> layer = new LinkedHashMap<>();
        List<List<String>> layers = new ArrayList<>();
        for (Step step : steps) {
            int number = step.after().stream()
                    .mapToInt(before -> layer.getOrDefault(before, 0) + 1)
                    .max()
                    .orElse(0);
            layer.put(step.name(), number);
            while (layers.size() <= number) {
                layers.add(new ArrayList<>());
            }
            layers.get(number).add(step.name());
        }
        return layers;
    }

    /** Returns the chain of steps whose time-outs add up to the longest time; steps without a limit count nothing. */
    public List<String> criticalPath() {
        Map<String, Long> until = new HashMap<>();
        Map<String, @Nullable String> previous = new HashMap<>();
        String last = null;
        for (Step step : steps) {
            String longest = null;
            for (String before : step.after()) {
                if (longest == null || until.getOrDefault(before, 0L) > until.getOrDefault(longest, 0L)) {
                    longest = before;
                }
            }
            long own = step.timeoutMillis() == null ? 0 : step.timeoutMillis();
            until.put(step.name(), own + (longest == null ? 0 : until.getOrDefault(longest, 0L)));
            previous.put(step.name(), longest);
            if (last == null || until.getOrDefault(step.name(), 0L) >= until.getOrDefault(last, 0L)) {
                last = step.name();
            }
        }
        List<String> path = new ArrayList<>();
        for (String step = last; step != null; step = previous.get(step)) {
            path.add(0, step);
        }
        return path;
    }
}

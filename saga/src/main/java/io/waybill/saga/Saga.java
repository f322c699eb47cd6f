package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.saga.internal.definition.DefinitionRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a saga: its steps, what they depend on, and how each is undone. Immutable, and checked when it is built.
 *
 * @param <D> the data that the steps share: a record, or any class that {@link SagaJson} can write and read
 */
public final class Saga<D> {
    private final String name;
    private final Class<D> dataType;
    private final int version;
    private final boolean atomic;
    private final Map<String, SagaStep<D>> steps;
    private final @Nullable Duration deadline;
    private final ParallelFailure parallelFailure;
    private final CompensationFailure compensationFailure;
    private final boolean lifecycleEvents;
    private final Map<Integer, UnaryOperator<String>> migrations;

    Saga(SagaBuilder<D> builder) {
        this.name = builder.name;
        this.dataType = builder.dataType;
        this.version = builder.version;
        this.atomic = builder.atomic;
        this.deadline = builder.deadline;
        this.parallelFailure = builder.parallelFailure;
        this.compensationFailure = builder.compensationFailure;
        this.lifecycleEvents = builder.lifecycleEvents;
        this.migrations = Map.copyOf(builder.migrations);
        List<SagaStep<D>> checked = DefinitionRules.inOrder(name, atomic, builder.steps);
        Map<String, SagaStep<D>> byName = new LinkedHashMap<>();
        checked.forEach(step -> byName.put(step.name(), step));
        this.steps = Collections.unmodifiableMap(byName);
    }

    /** Starts a definition. Its executions are durable: each step has a transaction of its own. */
    public static <D> SagaBuilder<D> named(String name, Class<D> dataType) {
        return new SagaBuilder<>(requireNonNull(name, "name"), requireNonNull(dataType, "dataType"));
    }

    public String name() {
        return name;
    }

    public Class<D> dataType() {
        return dataType;
    }

    public int version() {
        return version;
    }

    /** Whether all steps run in one transaction; see {@link SagaBuilder#atomic}. */
    public boolean isAtomic() {
        return atomic;
    }

    /** The steps, each one after the steps that it depends on. */
    public List<SagaStep<D>> steps() {
        return List.copyOf(steps.values());
    }

    public Optional<SagaStep<D>> step(String step) {
        return Optional.ofNullable(steps.get(step));
    }

    /** The names of the steps that depend directly on this one. */
    public List<String> dependants(String step) {
        List<String> dependants = new ArrayList<>();
        for (SagaStep<D> other : steps.values()) {
            if (other.after().contains(step)) {
                dependants.add(other.name());
            }
        }
        return dependants;
    }

    /** The names of all steps that depend on this one, directly or not. */
    public Set<String> allDependants(String step) {
        Set<String> found = new LinkedHashSet<>();
        List<String> open = new ArrayList<>(dependants(step));
        while (!open.isEmpty()) {
            String next = open.remove(open.size() - 1);
            if (found.add(next)) {
                open.addAll(dependants(next));
            }
        }
        return found;
    }

    public Optional<SagaStep<D>> pivot() {
        return steps.values().stream()
                .filter(step -> step.role() == StepRole.PIVOT)
                .findFirst();
    }

    /** The time after its start at which a saga is cancelled, unless its pivot has begun. */
    public Optional<Duration> deadline() {
        return Optional.ofNullable(deadline);
    }

    public ParallelFailure parallelFailure() {
        return parallelFailure;
    }

    public CompensationFailure compensationFailure() {
        return compensationFailure;
    }

    /** Whether events such as {@code place-order.take-payment.success} and {@code place-order.completed} are published. */
    public boolean publishesLifecycle() {
        return lifecycleEvents;
    }

    /** The earlier versions whose executions this definition continues, with the migration of their data. */
    public Map<Integer, UnaryOperator<String>> migrations() {
        return migrations;
    }

    @Override
    public String toString() {
        return "saga " + name + " version " + version;
    }
}

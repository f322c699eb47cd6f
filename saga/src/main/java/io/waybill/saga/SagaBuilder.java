package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds the definition of a saga. */
public final class SagaBuilder<D> {
    final String name;
    final Class<D> dataType;
    final List<SagaStep<D>> steps = new ArrayList<>();
    final Map<Integer, UnaryOperator<String>> migrations = new LinkedHashMap<>();
    int version = 1;
    boolean atomic;
    boolean lifecycleEvents;

    @Nullable
    Duration deadline;

    ParallelFailure parallelFailure = ParallelFailure.DEFAULT;
    CompensationFailure compensationFailure = CompensationFailure.SKIP_DEPENDENTS;

    SagaBuilder(String name, Class<D> dataType) {
        this.name = name;
        this.dataType = dataType;
    }

    /** The version of this definition (default 1). Raise it whenever the steps change; running executions keep theirs. */
    public SagaBuilder<D> version(int version) {
        if (version < 1) {
            throw new WaybillException("The version of saga " + name + " must be 1 or more, not " + version + ".");
        }
        this.version = version;
        return this;
    }

    /**
     * Runs all steps in one transaction: {@link Sagas#execute}. A failure rolls back all steps, so they need no compensation. Only
     * local steps are possible.
     */
    public SagaBuilder<D> atomic() {
        this.atomic = true;
        return this;
    }

    /** Cancels an execution after this time, unless its pivot has begun. */
    public SagaBuilder<D> deadline(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new WaybillException("The deadline of saga " + name + " must be positive, not " + deadline + ".");
        }
        this.deadline = deadline;
        return this;
    }

    /** Default: {@link ParallelFailure#failFastWithGrace} of five seconds. */
    public SagaBuilder<D> onParallelFailure(ParallelFailure strategy) {
        this.parallelFailure = requireNonNull(strategy, "strategy");
        return this;
    }

    public SagaBuilder<D> onCompensationFailure(CompensationFailure strategy) {
        this.compensationFailure = requireNonNull(strategy, "strategy");
        return this;
    }

    /**
     * Publishes an event for each result: {@code {saga}.{step}.success}, {@code .failed} or {@code .compensated}, and {@code
     * {saga}.completed}, {@code .rolled-back}, {@code .partially-committed} or {@code .failed}. Their key is the business key.
     */
    public SagaBuilder<D> publishLifecycle() {
        this.lifecycleEvents = true;
        return this;
    }

    /**
     * Continues the executions of an earlier version with this definition. Every step that such an execution has begun must exist
     * here under the same name.
     *
     * @param data converts the stored JSON of that version
     */
    public SagaBuilder<D> migrateFrom(int earlierVersion, UnaryOperator<String> data) {
        migrations.put(earlierVersion, requireNonNull(data, "data"));
        return this;
    }

    /** Adds a step that begins at once, unless {@link StepBuilder#after} names steps to wait for. */
    public StepStart<D> step(String stepName) {
        return new StepStart<>(this, stepName, List.of());
    }

    public Saga<D> build() {
        return new Saga<>(this);
    }

    StepStart<D> then(String previous, String stepName) {
        return new StepStart<>(this, stepName, List.of(previous));
    }
}

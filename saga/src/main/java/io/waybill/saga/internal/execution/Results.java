package io.waybill.saga.internal.execution;

import io.waybill.saga.Saga;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaResult;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.SagaRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Summarises a stored saga. */
public final class Results {
    private Results() {}

    /** The result of an atomic saga that was rolled back. */
    public static <D> SagaResult<D> nothing(Saga<D> saga, String businessKey, D data, String error) {
        return new SagaResult<>(
                new UUID(0, 0),
                saga.name(),
                businessKey,
                false,
                SagaStatus.ROLLED_BACK,
                data,
                0,
                saga.steps().size(),
                error,
                Duration.ZERO,
                List.of(),
                false,
                List.of(),
                List.of(),
                false,
                null);
    }

    public static <D> SagaResult<D> of(Saga<D> saga, SagaJson json, SagaRecord stored) {
        List<StepState> steps = StateJson.steps(stored.state());
        String pivot = saga.pivot().map(SagaStep::name).orElse(null);
        boolean pivotReached =
                steps.stream().anyMatch(step -> step.name.equals(pivot) && step.status == StepStatus.COMPLETED);
        List<String> compensationErrors = new ArrayList<>();
        List<String> committed = new ArrayList<>();
        List<String> tainted = new ArrayList<>();
        int completed = 0;
        for (StepState step : steps) {
            if (step.status == StepStatus.COMPLETED) {
                completed++;
                if (pivotReached) {
                    committed.add(step.name);
                }
            }
            if (step.status == StepStatus.TAINTED
                    || (stored.status() == SagaStatus.PARTIALLY_COMMITTED && step.status == StepStatus.COMPLETED)) {
                tainted.add(step.name);
            }
            if ((step.status == StepStatus.COMPENSATING || step.status == StepStatus.TAINTED) && step.error != null) {
                compensationErrors.add(step.name + ": " + step.error);
            }
        }
        Instant end = stored.endedAt() == null ? stored.updatedAt() : stored.endedAt();
        return new SagaResult<>(
                stored.id(),
                stored.name(),
                stored.businessKey(),
                stored.status() == SagaStatus.COMPLETED,
                stored.status(),
                json.read(stored.data(), saga.dataType()),
                completed,
                steps.size(),
                stored.error(),
                Duration.between(stored.createdAt(), end),
                compensationErrors,
                pivotReached,
                committed,
                tainted,
                stored.status() == SagaStatus.FORWARD_RECOVERY,
                pivotReached ? pivot : null);
    }
}

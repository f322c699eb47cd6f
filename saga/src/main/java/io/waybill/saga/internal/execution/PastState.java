package io.waybill.saga.internal.execution;

import io.waybill.saga.SagaStatus;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Derives an earlier state of a saga from the beginning of its history.
 *
 * <p>The history says when an attempt began, not when a step became ready. A step that was ready and waited for a worker is therefore
 * pending here.
 */
public final class PastState {
    private final Map<String, StepState> steps = new LinkedHashMap<>();
    private boolean undoing;
    private @Nullable SagaStatus end;
    private @Nullable Instant endedAt;
    private @Nullable String error;

    private PastState(SagaRecord now) {
        StateJson.steps(now.state()).forEach(step -> steps.put(step.name(), new StepState(step.name())));
    }

    /** @param history the entries up to the wanted time, from the first one on */
    public static SagaRecord after(SagaRecord now, Iterable<HistoryEntry> history) {
        PastState past = new PastState(now);
        Instant updated = now.createdAt();
        boolean any = false;
        for (HistoryEntry entry : history) {
            past.apply(entry);
            updated = entry.at();
            any = true;
        }
        return past.toRecord(now, any, updated);
    }

    private void apply(HistoryEntry entry) {
        switch (entry.kind()) {
            case COMPENSATING -> {
                undoing = true;
                error = entry.detail();
            }
            case ENDED -> {
                end = SagaStatus.valueOf(String.valueOf(entry.detail()));
                endedAt = entry.at();
            }
            default -> {
                StepState step = entry.step() == null ? null : steps.get(entry.step());
                if (step != null) {
                    apply(entry, step);
                }
            }
        }
    }

    private static void apply(HistoryEntry entry, StepState step) {
        switch (entry.kind()) {
            case STEP_STARTED -> {
                step.status = StepStatus.EXECUTING;
                step.attempt = entry.attempt();
                step.stuck = false;
                step.startedAt = step.startedAt == null ? entry.at() : step.startedAt;
            }
            case STEP_COMPLETED -> {
                step.settle(StepStatus.COMPLETED, entry.at());
                step.error = null;
            }
            case STEP_FAILED -> failed(step, StepStatus.FAILED, entry);
            case STEP_IN_DOUBT -> failed(step, StepStatus.IN_DOUBT, entry);
            case STEP_SKIPPED -> step.settle(StepStatus.SKIPPED, entry.at());
            case ATTEMPT_FAILED, RECOVERY -> step.error = entry.detail();
            case STUCK -> {
                // The pivot can succeed after a step beside it has failed. That step then waits for a person.
                step.status = step.status == StepStatus.COMPENSATING ? StepStatus.COMPENSATING : StepStatus.EXECUTING;
                step.stuck = true;
                step.error = entry.detail();
            }
            case COMPENSATION_STARTED, COMPENSATION_ATTEMPT_FAILED -> {
                step.status = StepStatus.COMPENSATING;
                step.undoAttempt = entry.attempt();
                step.stuck = false;
                step.endedAt = null;
                step.error = entry.detail();
            }
            case STEP_COMPENSATED -> {
                step.settle(StepStatus.COMPENSATED, entry.at());
                step.error = null;
            }
            case STEP_TAINTED -> step.settle(StepStatus.TAINTED, entry.at());
            case OPERATOR -> {
                boolean retried = OperatorEntry.of(entry)
                        .filter(OperatorEntry::done)
                        .filter(request -> request.action() == SagaSignal.Kind.RETRY)
                        .isPresent();
                step.stuck &= !retried;
            }
            default -> {} // changes no step
        }
    }

    private static void failed(StepState step, StepStatus status, HistoryEntry entry) {
        step.settle(status, entry.at());
        step.error = entry.detail();
    }

    private SagaStatus status(boolean started) {
        if (end != null) {
            return end;
        }
        boolean stuck = steps.values().stream().anyMatch(StepState::stuck);
        if (undoing) {
            return stuck ? SagaStatus.FAILED : SagaStatus.COMPENSATING;
        }
        return stuck ? SagaStatus.FORWARD_RECOVERY : started ? SagaStatus.EXECUTING : SagaStatus.PENDING;
    }

    private SagaRecord toRecord(SagaRecord now, boolean started, Instant updated) {
        ObjectNode state = StateJson.object();
        ObjectNode all = state.putObject("steps");
        steps.values().forEach(step -> step.write(all.putObject(step.name)));
        String stuck = String.join(
                ",",
                steps.values().stream()
                        .filter(StepState::stuck)
                        .map(StepState::name)
                        .toList());
        return new SagaRecord(
                now.id(),
                now.name(),
                now.version(),
                now.businessKey(),
                status(started),
                now.data(),
                state.toString(),
                now.headers(),
                now.parentId(),
                now.parentStep(),
                error,
                stuck,
                null,
                now.createdAt(),
                updated,
                endedAt,
                now.revision());
    }
}

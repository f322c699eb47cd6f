package io.waybill.faults.saga;

import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.SagaStep;
import java.util.ArrayList;
import java.util.List;

/**
 * The effects of one saga on its participants, and the check of invariant I8. Effects are not idempotent: an effect that is applied
 * twice is recorded twice.
 */
public final class SagaEffects {
    private final List<String> done = new ArrayList<>();
    private final List<String> undone = new ArrayList<>();

    /** Records the effect of a step. */
    public void did(String step) {
        done.add(step);
    }

    /** Records that the effect of a step was undone, in the order in which it happened. */
    public void undid(String step) {
        undone.add(step);
    }

    /**
     * Returns the violations of I8: a completed saga has the effect of every step once and has undone nothing; a saga that was rolled
     * back has undone every effect once, each one after those of the steps that depend on it.
     *
     * @param effective the names of the steps that have an effect
     * @param ends how often the saga ended, according to its history
     */
    public List<String> violations(Saga<?> saga, SagaStatus status, int ends, List<String> effective) {
        List<String> violations = new ArrayList<>();
        if (ends != 1) {
            violations.add("the saga ended " + ends + " times");
        }
        for (String step : effective) {
            int did = count(done, step);
            int undid = count(undone, step);
            boolean compensated = saga.step(step).map(SagaStep::isCompensated).orElse(false);
            if (status == SagaStatus.COMPLETED && (did != 1 || undid != 0)) {
                violations.add("completed, but " + step + " was done " + did + " and undone " + undid + " times");
            } else if (status == SagaStatus.ROLLED_BACK && (did > 1 || undid != did || (!compensated && did > 0))) {
                violations.add("rolled back, but " + step + " was done " + did + " and undone " + undid + " times");
            }
        }
        if (status != SagaStatus.COMPLETED && status != SagaStatus.ROLLED_BACK) {
            violations.add("the saga ended as " + status);
        }
        for (int i = 0; i < undone.size(); i++) {
            for (String later : undone.subList(i + 1, undone.size())) {
                if (saga.allDependants(undone.get(i)).contains(later)) {
                    violations.add(undone.get(i) + " was undone before " + later + ", which depends on it");
                }
            }
        }
        return violations;
    }

    private static int count(List<String> steps, String step) {
        return (int) steps.stream().filter(step::equals).count();
    }

    @Override
    public String toString() {
        return "done " + done + ", undone " + undone;
    }
}

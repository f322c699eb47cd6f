package io.waybill.saga.internal.engine;

import io.waybill.WaybillException;
import io.waybill.saga.Saga;
import io.waybill.saga.internal.execution.LocalRun;
import io.waybill.saga.internal.execution.Transition;
import java.util.Optional;

/** Runs all steps of an atomic saga in one transaction. */
final class AtomicRun {
    private AtomicRun() {}

    static <D> void run(Object transaction, Saga<D> saga, Transition<D> transition) {
        for (Optional<LocalRun<D>> next = transition.nextLocal(); next.isPresent(); next = transition.nextLocal()) {
            LocalRun<D> run = next.get();
            try {
                transition.ran(run, run.run(transaction, transition.data()));
            } catch (Throwable e) { // also errors: nothing of a failed saga may be committed
                throw new Writer.StepFailure(run.step().name(), e);
            }
        }
        if (!transition.hasEnded()) {
            throw new WaybillException("The atomic " + saga + " has not ended after its last step.");
        }
    }
}

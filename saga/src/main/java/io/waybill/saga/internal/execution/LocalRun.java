package io.waybill.saga.internal.execution;

import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;

/**
 * Local work to be run in the transaction of the transition.
 *
 * @param undo whether it is the compensation of the step
 * @param attempt the number of this attempt
 */
public record LocalRun<D>(SagaStep<D> step, boolean undo, int attempt, StepAction.Local<?, D> local) {
    /** @param transaction of the type that the engine has checked when the definition was added */
    @SuppressWarnings("unchecked")
    public D run(Object transaction, D data) throws Exception {
        return ((StepAction.LocalWork<Object, D>) local.work()).run(transaction, data);
    }
}

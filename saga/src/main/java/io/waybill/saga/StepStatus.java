package io.waybill.saga;

/** The state of one step of an execution. */
public enum StepStatus {
    PENDING,
    /** An attempt runs, or waits for its reply, its event, its time or its next attempt. */
    EXECUTING,
    COMPLETED,
    /** The step is known to have had no effect, so it is not compensated. */
    FAILED,
    /** The step may have had an effect: no result arrived in time, or an external call failed. It is compensated. */
    IN_DOUBT,
    COMPENSATING,
    COMPENSATED,
    /** The effect of the step remains although the saga did not complete. */
    TAINTED,
    /** A person or a recovery rule decided to continue without the step. */
    SKIPPED;

    /** Whether steps that depend on this one may begin. */
    public boolean satisfied() {
        return this == COMPLETED || this == SKIPPED;
    }
}

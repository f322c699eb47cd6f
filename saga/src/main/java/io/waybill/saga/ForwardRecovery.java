package io.waybill.saga;

/** What happens when a step after the pivot was refused or has used up its attempts. */
public enum ForwardRecovery {
    /** The step gets its attempts again, after the longest delay of its retry policy. */
    RETRY,
    /**
     * The alternative of the step is tried instead; see {@link StepBuilder#alternative}. If there is none, or if the alternative has
     * failed as well, the saga waits for a person.
     */
    RETRY_WITH_ALTERNATIVE,
    /** The saga continues without the step. */
    SKIP,
    /** The saga waits for a person, who retries, skips or resolves the step. This is the default. */
    MANUAL_INTERVENTION
}

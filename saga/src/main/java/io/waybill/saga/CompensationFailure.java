package io.waybill.saga;

/** What happens to the other compensations of a saga after one has used up its attempts. */
public enum CompensationFailure {
    /** No further compensation begins. */
    FAIL_FAST,
    /** The steps that the failed one depends on wait; independent branches continue. This is the default. */
    SKIP_DEPENDENTS,
    /** All other compensations run, in their order. */
    RETRY_THEN_CONTINUE
}

package io.waybill.saga.store;

/** What an entry of a saga's history says. */
public enum HistoryKind {
    STARTED,
    STEP_STARTED,
    STEP_COMPLETED,
    /** Known to have had no effect. */
    STEP_FAILED,
    /** May have had an effect. */
    STEP_IN_DOUBT,
    STEP_SKIPPED,
    /** One attempt failed; another one follows. */
    ATTEMPT_FAILED,
    /** A step after the pivot failed; the detail says what was decided. */
    RECOVERY,
    /** The step or its compensation waits for a person. */
    STUCK,
    COMPENSATING,
    COMPENSATION_STARTED,
    COMPENSATION_ATTEMPT_FAILED,
    STEP_COMPENSATED,
    /** The effect of the step remains, by decision of a person. */
    STEP_TAINTED,
    CANCELLED,
    /** A late, duplicate or foreign reply, which changed nothing. */
    STALE_REPLY,
    /** An action of a person; the detail says the person, the reason and the outcome. */
    OPERATOR,
    MIGRATED,
    ENDED
}

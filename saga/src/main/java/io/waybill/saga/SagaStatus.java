package io.waybill.saga;

/** The state of one execution of a saga. */
public enum SagaStatus {
    /** Stored; no step has begun. */
    PENDING(false),
    /** Steps run, or wait for a reply, an event or a time. */
    EXECUTING(false),
    /** A step failed before the pivot, or the saga was cancelled: completed steps are being undone. */
    COMPENSATING(false),
    /** A step after the pivot, or the pivot itself, needs a decision. Earlier steps stay as they are. */
    FORWARD_RECOVERY(false),
    /** The compensation of a step failed, or a person gave it up. The saga is ended only if {@code ended_at} is set. */
    FAILED(false),
    /** Every step succeeded, or its recovery rule skipped it. */
    COMPLETED(true),
    /** The saga failed, and every step that has a compensation and may have had an effect was undone. */
    ROLLED_BACK(true),
    /** The pivot succeeded, but a person gave up a later step. */
    PARTIALLY_COMMITTED(true);

    private final boolean end;

    SagaStatus(boolean end) {
        this.end = end;
    }

    /** Whether a saga in this state has ended. False for {@link #FAILED}, although such a saga may have ended. */
    public boolean isEnd() {
        return end;
    }
}

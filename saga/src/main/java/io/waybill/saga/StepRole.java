package io.waybill.saga;

/** What may happen to a step when the saga fails. */
public enum StepRole {
    /** Can be undone, and comes before the pivot. */
    COMPENSATABLE,
    /** The point of no return: once this step has succeeded, the saga is not undone any more. */
    PIVOT,
    /** Comes after the pivot, and is repeated until it succeeds. */
    RETRIABLE,
    /** Is never undone: it has no effect, or an effect that may remain. */
    READ_ONLY
}

package io.waybill.saga;

/** How a compensation undoes its step. */
public enum CompensationKind {
    /** Restores the former state, such as a released reservation. */
    MECHANICAL,
    /** Makes up for an effect that cannot be taken back, such as a refund or an apology. */
    SEMANTIC,
    /** A person does it and then resolves the step. */
    MANUAL
}

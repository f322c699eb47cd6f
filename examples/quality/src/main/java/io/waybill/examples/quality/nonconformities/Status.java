package io.waybill.examples.quality.nonconformities;

/** The status of a non-conformity. */
public enum Status {
    OPEN,
    CLOSED
}

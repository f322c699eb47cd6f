package io.waybill.examples.quality.nonconformities;

/** Whether somebody still has to do something. */
public enum Status {
    OPEN,
    CLOSED
}

package io.waybill.examples.quality.nonconformities;

/** Payload of NC_CLOSED. */
record NcClosed(long ncId, String requestId) {}

package io.waybill.examples.quality.nonconformities;

/** Payload of NC_CREATED. */
record NcCreated(long ncId, long supplierId, Severity severity, String requestId) {}

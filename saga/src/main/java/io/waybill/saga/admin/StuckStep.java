package io.waybill.saga.admin;

import java.util.UUID;

/** A step, or its compensation, that waits for a person. */
public record StuckStep(UUID saga, String name, String businessKey, String step) {}

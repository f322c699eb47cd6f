package io.waybill.examples.quality.nonconformities;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The severity of a non-conformity. */
public enum Severity {
    @JsonProperty("low")
    LOW,
    @JsonProperty("medium")
    MEDIUM,
    @JsonProperty("high")
    HIGH
}

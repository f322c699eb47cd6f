package io.waybill.examples.quality.nonconformities;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How bad it is. */
public enum Severity {
    @JsonProperty("low")
    LOW,
    @JsonProperty("medium")
    MEDIUM,
    @JsonProperty("high")
    HIGH
}

package io.waybill.chaos.fault;

import java.time.Duration;

/**
 * A fault as it came to pass.
 *
 * @param begin since the breaking began
 * @param end when it was healed
 * @param trouble why it could not be injected or healed as planned; empty when it could
 */
public record Happened(Planned planned, Duration begin, Duration end, String trouble) {}

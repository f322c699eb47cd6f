package io.waybill.chaos.schedule;

import java.time.Duration;

/**
 * A fault that was injected.
 *
 * @param begin the time of the injection since the start of the run
 * @param end the time when it was healed
 * @param problem the reason why it could not be injected or healed as planned, or an empty string
 */
public record InjectedFault(PlannedFault planned, Duration begin, Duration end, String problem) {}

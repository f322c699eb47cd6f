package io.waybill.chaos.schedule;

import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Injection;
import java.time.Duration;
import java.util.Locale;

/**
 * A fault and its time.
 *
 * @param at the time since the start of the run
 * @param lasts the duration until it is healed
 */
public record PlannedFault(Duration at, Duration lasts, Fault fault, Injection injection) {
    Duration end() {
        return at.plus(lasts);
    }

    /** Contains everything that was drawn from the seed. */
    @Override
    public String toString() {
        return String.format(
                        Locale.ROOT,
                        "%.1f s %s for %.1f s %s",
                        at.toMillis() / 1_000.0,
                        fault.name(),
                        lasts.toMillis() / 1_000.0,
                        injection.parameters())
                .strip();
    }
}

package io.waybill.chaos.fault;

import java.time.Duration;
import java.util.Locale;

/**
 * A fault with its time.
 *
 * @param at since the breaking began
 * @param lasts until it is healed
 */
public record Planned(Duration at, Duration lasts, Fault fault, Injection injection) {
    Duration end() {
        return at.plus(lasts);
    }

    /** Everything that the seed has decided. */
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

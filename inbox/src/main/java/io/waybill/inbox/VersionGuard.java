package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import java.time.Duration;

/**
 * How a group checks the aggregate version of events. Events without a version always pass. Relays send the version in the header
 * {@code aggregate-version}.
 *
 * @param patience how long an event waits for a missing version before it; used only by {@link Mode#STRICT}
 */
public record VersionGuard(Mode mode, Duration patience) {
    public enum Mode {
        /** Versions are ignored. */
        OFF,
        /** An event whose version is not above the last one seen is stale and skipped. */
        SKIP_STALE,
        /** Like SKIP_STALE, and an event also waits until the version before it was applied. */
        STRICT
    }

    public static final VersionGuard OFF = new VersionGuard(Mode.OFF, Duration.ZERO);
    public static final VersionGuard SKIP_STALE = new VersionGuard(Mode.SKIP_STALE, Duration.ZERO);

    public VersionGuard {
        requireNonNull(mode, "mode");
        if (mode == Mode.STRICT && (patience.isZero() || patience.isNegative())) {
            throw new WaybillException("A strict version guard needs a positive patience, not " + patience + ".");
        }
    }

    /**
     * Versions are applied one by one, starting with 1. After a gap, an event is parked until its predecessor was applied. After
     * {@code patience} it is applied anyway, and the missing versions are stale if they arrive later. Events without a handler
     * count as well, so the group must read all topics to which events of the aggregate are published.
     */
    public static VersionGuard strict(Duration patience) {
        return new VersionGuard(Mode.STRICT, requireNonNull(patience, "patience"));
    }
}

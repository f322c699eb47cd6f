package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import java.time.Duration;

/**
 * What a group does with the version that an event gives its entity; events without one always pass. Waybill's relays send it
 * in the header {@code aggregate-version}.
 *
 * @param patience how long an event with a gap before it waits, when gaps matter
 */
public record VersionGuard(Mode mode, Duration patience) {
    public enum Mode {
        /** Versions do not matter. */
        OFF,
        /** A version not above the last one seen is stale and skipped. */
        SKIP_STALE,
        /** Also, a version waits until the one before it has come. */
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
     * Versions are applied one by one, from 1. A gap parks the event until its predecessor has come; after {@code patience} it
     * is applied all the same, and what comes late is stale. Events of types without a handler count, so the group has to read all
     * topics that an entity's events go to.
     */
    public static VersionGuard strict(Duration patience) {
        return new VersionGuard(Mode.STRICT, requireNonNull(patience, "patience"));
    }
}

package io.waybill.admin;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A pause that an operator has set. Relays apply it within a second. The paused events stay pending, keep the order of their
 * keys, and use up no attempts.
 *
 * @param value the name of the paused relay, or {@link #EVERY_RELAY}; or the paused topic, type or key
 * @param until when the pause ends by itself; null if it lasts until an operator ends it
 */
public record OutboxPause(
        Scope scope,
        String value,
        String actor,
        String reason,
        Instant since,
        @Nullable Instant until) {

    /** The value that pauses all relays. */
    public static final String EVERY_RELAY = "*";

    /** The beginning of the last error of an event that a pause holds. */
    public static final String HELD = "Paused by ";

    /** The kinds of things that can be paused. */
    public enum Scope {
        RELAY,
        TOPIC,
        TYPE,
        KEY
    }

    /** Returns the last error of an event that this pause holds. */
    public String heldReason() {
        return HELD + actor + " (" + scope.name().toLowerCase(Locale.ROOT) + " " + value + "): " + reason;
    }
}

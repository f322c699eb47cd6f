package io.waybill.admin;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import org.jspecify.annotations.Nullable;

/**
 * The actor and the reason of an operator action. Both are recorded in the audit table.
 *
 * @param id makes a repeated call harmless: a second action with the same id changes nothing and returns the result of the first one.
 *     Null if the caller never repeats the call
 * @param origin where the request came from, for example an address and a client; null if unknown
 */
public record Action(
        String actor,
        String reason,
        @Nullable String id,
        @Nullable String origin) {
    /** The longest id, in characters. */
    public static final int LONGEST_ID = 64;

    public Action {
        requireNonNull(actor, "actor");
        requireNonNull(reason, "reason");
        if (actor.isBlank() || reason.isBlank()) {
            throw new WaybillException(
                    "An operator action needs an actor and a reason; both are kept in the audit table.");
        }
        if (id != null && (id.isBlank() || id.length() > LONGEST_ID)) {
            throw new WaybillException("An action id has 1 to " + LONGEST_ID + " characters. Use a UUID.");
        }
    }

    public Action(String actor, String reason) {
        this(actor, reason, null, null);
    }

    public Action withId(@Nullable String id) {
        return new Action(actor, reason, id, origin);
    }

    public Action from(@Nullable String origin) {
        return new Action(actor, reason, id, origin);
    }
}

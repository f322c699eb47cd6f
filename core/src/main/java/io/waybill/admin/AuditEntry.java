package io.waybill.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One operator action.
 *
 * @param events number of changed events
 * @param refused whether the action was refused, so that it changed nothing
 * @param actionId see {@link Action#id}
 * @param origin see {@link Action#origin}
 * @param detail what the action concerned if not only events: a key, a pause, the id of a corrected event
 */
public record AuditEntry(
        long id,
        Instant at,
        String actor,
        String action,
        String reason,
        int events,
        boolean refused,
        @Nullable String actionId,
        @Nullable String origin,
        @Nullable String detail) {

    public AuditEntry(long id, Instant at, String actor, String action, String reason, int events) {
        this(id, at, actor, action, reason, events, false, null, null, null);
    }
}

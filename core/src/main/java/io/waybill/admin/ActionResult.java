package io.waybill.admin;

import java.util.List;
import java.util.UUID;

/**
 * The result of an operator action.
 *
 * @param events the ids of the changed events
 * @param repeated whether an earlier call with the same action id made the change
 */
public record ActionResult(List<UUID> events, boolean repeated) {
    public ActionResult {
        events = List.copyOf(events);
    }
}

package io.waybill.relay;

import io.waybill.Event;
import io.waybill.admin.OutboxPause;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of operators at one moment, as far as they concern this relay.
 *
 * @param known false until the pauses were read for the first time
 * @param relay the pause of this relay; null if the relay is not paused
 * @param reasons the last errors of events that these pauses hold
 */
record Pauses(
        boolean known,
        @Nullable OutboxPause relay,
        Map<OutboxPause.Scope, Map<String, OutboxPause>> byScope,
        Set<String> reasons) {

    static final Pauses NONE = new Pauses(true, null, Map.of(), Set.of());

    /** The pauses before the first read. The relay sends nothing then, because it may have been restarted during a pause. */
    static final Pauses UNKNOWN = new Pauses(false, null, Map.of(), Set.of());

    /** @param relay the unique name of this relay: its configured name and a suffix */
    static Pauses of(List<OutboxPause> pauses, String relay) {
        if (pauses.isEmpty()) {
            return NONE;
        }
        OutboxPause own = null;
        Map<OutboxPause.Scope, Map<String, OutboxPause>> byScope = new EnumMap<>(OutboxPause.Scope.class);
        Set<String> reasons = new HashSet<>();
        for (OutboxPause pause : pauses) {
            if (pause.scope() == OutboxPause.Scope.RELAY) {
                own = isRelay(pause.value(), relay) ? pause : own;
            } else {
                byScope.computeIfAbsent(pause.scope(), scope -> new HashMap<>()).put(pause.value(), pause);
                reasons.add(pause.heldReason());
            }
        }
        return new Pauses(true, own, byScope, Set.copyOf(reasons));
    }

    private static boolean isRelay(String value, String relay) {
        int suffix = relay.lastIndexOf('-');
        return value.equals(OutboxPause.EVERY_RELAY)
                || value.equals(relay)
                || (suffix > 0 && value.equals(relay.substring(0, suffix)));
    }

    /** Whether this relay claims and sends nothing. */
    boolean stopsRelay() {
        return !known || relay != null;
    }

    /** Returns the pause that holds this event; null if there is none. */
    @Nullable
    OutboxPause of(Event event) {
        if (byScope.isEmpty()) {
            return null;
        }
        OutboxPause key = find(OutboxPause.Scope.KEY, event.key());
        if (key != null) {
            return key;
        }
        OutboxPause type = find(OutboxPause.Scope.TYPE, event.type());
        return type != null ? type : find(OutboxPause.Scope.TOPIC, event.destination());
    }

    private @Nullable OutboxPause find(OutboxPause.Scope scope, String value) {
        Map<String, OutboxPause> pauses = byScope.get(scope);
        return pauses == null ? null : pauses.get(value);
    }
}

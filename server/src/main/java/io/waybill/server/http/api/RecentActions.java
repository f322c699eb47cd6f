package io.waybill.server.http.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes repeated requests harmless for actions whose ids are not in the database: actions on inboxes and sagas. The latest
 * outcomes are kept in memory. After a restart, a repeated action finds that its event or saga was changed already, and changes
 * nothing.
 */
final class RecentActions {
    private static final int MOST = 10_000;

    private final Map<String, ObjectNode> outcomes = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ObjectNode> eldest) {
            return size() > MOST;
        }
    };

    /**
     * Executes the action, or returns the outcome of the first request with this key. Two concurrent requests execute it once.
     */
    synchronized ObjectNode once(String key, Supplier<ObjectNode> action) {
        @Nullable ObjectNode known = outcomes.get(key);
        if (known != null) {
            return known.deepCopy().put("repeated", true);
        }
        ObjectNode outcome = action.get();
        outcomes.put(key, outcome);
        return outcome;
    }
}

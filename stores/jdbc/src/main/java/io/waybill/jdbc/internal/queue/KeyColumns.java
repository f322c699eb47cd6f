package io.waybill.jdbc.internal.queue;

/** How a statement determines the lane of a key, and whether an event is held, in {@code outbox_events}. */
enum KeyColumns {
    /** For PostgreSQL. A function computes the lane, and partial indexes contain the open events. */
    COMPUTED {
        @Override
        String lane(String prefix) {
            return "outbox_lane(" + prefix + "aggregate_id)";
        }

        @Override
        String isHeld(String prefix) {
            return prefix + "processed_at IS NULL AND " + prefix + "next_attempt_at IS NOT NULL";
        }

        @Override
        String isHeldOf(String prefix, String key) {
            return prefix + "aggregate_id = " + key + " AND " + isHeld(prefix);
        }
    },
    /**
     * For MariaDB, MySQL and H2. Generated columns contain the lane and the key of a held event, because these databases have no partial
     * indexes.
     */
    STORED {
        @Override
        String lane(String prefix) {
            return prefix + "lane";
        }

        /** Equivalent to IS NOT NULL, for which H2 does not use an index. */
        @Override
        String isHeld(String prefix) {
            return prefix + "held_key > ''";
        }

        @Override
        String isHeldOf(String prefix, String key) {
            return prefix + "held_key = " + key;
        }
    };

    /** @param prefix the alias of {@code outbox_events} with its dot, or empty */
    abstract String lane(String prefix);

    /** The condition that an event is held: it waits for a retry, for an earlier event of its key, or for an operator. */
    abstract String isHeld(String prefix);

    /** {@link #isHeld} for the events of one key. */
    abstract String isHeldOf(String prefix, String key);
}

package io.waybill.jdbc.internal.queue;

/** How the lane of a key, and whether an event holds its key back, are found in {@code outbox_events}. */
enum KeyColumns {
    /** A function computes the lane, and partial indexes hold the open events: PostgreSQL. */
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
    /** Generated columns hold the lane and the held key, because an index cannot be partial: MariaDB and H2. */
    STORED {
        @Override
        String lane(String prefix) {
            return prefix + "lane";
        }

        /** The same as IS NOT NULL, for which H2 uses no index. */
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

    /** Whether the event waits for a retry, for an earlier event of its key, or for an operator. */
    abstract String isHeld(String prefix);

    /** {@link #isHeld} for the events of one key. */
    abstract String isHeldOf(String prefix, String key);
}

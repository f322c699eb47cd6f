package io.waybill.admin;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The failed events, grouped by type, topic and error.
 *
 * @param groups the largest group first
 * @param examined number of failed events that were examined
 * @param complete false if there are more failed events than were examined; the examined ones are the newest
 */
public record FailureGroups(List<Group> groups, int examined, boolean complete) {
    /** The number of events that a call examines. */
    public static final int MOST_EXAMINED = 10_000;

    public FailureGroups {
        groups = List.copyOf(groups);
    }

    /**
     * Events of one type and one topic that failed in the same way.
     *
     * @param fingerprint identifies the group; stable as long as type, topic and error stay the same
     * @param error the error message, in which placeholders replace numbers, ids, quoted values and addresses
     * @param sampleError the error message of the newest event
     * @param first when the oldest event of the group was written
     * @param last when the newest event of the group was written
     * @param sample the id of the newest event
     */
    public record Group(
            String fingerprint,
            String error,
            String sampleError,
            String type,
            String topic,
            int retrying,
            int deadLetters,
            Instant first,
            Instant last,
            UUID sample) {
        public int count() {
            return retrying + deadLetters;
        }
    }
}

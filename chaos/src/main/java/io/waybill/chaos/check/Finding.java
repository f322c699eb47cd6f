package io.waybill.chaos.check;

import io.waybill.chaos.fault.Invariant;
import java.util.List;
import java.util.Set;

/**
 * The result of the check of an invariant.
 *
 * @param summary a few words about the checked data
 * @param violations one line for each violation
 */
public record Finding(Invariant invariant, State state, String summary, List<String> violations) {
    /** The state of an invariant. */
    public enum State {
        HOLDS,
        VIOLATED,
        /** A requested fault makes it impossible. */
        WAIVED,
        /** There is no data to check. */
        NOT_CHECKED
    }

    static Finding of(Invariant invariant, String summary, List<String> violations) {
        return new Finding(invariant, violations.isEmpty() ? State.HOLDS : State.VIOLATED, summary, violations);
    }

    /** Whether the run fails. */
    public boolean violated() {
        return state == State.VIOLATED;
    }

    Finding waivedBy(Set<Invariant> waived) {
        return waived.contains(invariant) ? new Finding(invariant, State.WAIVED, summary, violations) : this;
    }
}

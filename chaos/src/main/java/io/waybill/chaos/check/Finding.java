package io.waybill.chaos.check;

import io.waybill.chaos.fault.Invariant;
import java.util.List;
import java.util.Set;

/**
 * What became of an invariant.
 *
 * @param summary in a few words, what was looked at
 * @param violations each names the thing; empty unless it is broken
 */
public record Finding(Invariant invariant, State state, String summary, List<String> violations) {
    /** Whether it holds. */
    public enum State {
        HOLDS,
        BROKEN,
        /** A fault that was asked for makes it impossible. */
        WAIVED,
        /** There is nothing to look at. */
        NOT_JUDGED
    }

    static Finding of(Invariant invariant, String summary, List<String> violations) {
        return new Finding(invariant, violations.isEmpty() ? State.HOLDS : State.BROKEN, summary, violations);
    }

    /** Whether it fails the run. */
    public boolean broken() {
        return state == State.BROKEN;
    }

    Finding waivedBy(Set<Invariant> waived) {
        return waived.contains(invariant) ? new Finding(invariant, State.WAIVED, summary, violations) : this;
    }
}

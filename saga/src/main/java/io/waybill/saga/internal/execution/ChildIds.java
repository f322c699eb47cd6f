package io.waybill.saga.internal.execution;

import com.github.f4b6a3.uuid.UuidCreator;
import java.util.UUID;

/**
 * The id of a child follows from its parent, its step and the attempt, so that the parent can address it. Each attempt of the step
 * starts another child, because the one before it has ended.
 */
final class ChildIds {
    private ChildIds() {}

    static UUID of(UUID parent, StepState step) {
        return UuidCreator.getNameBasedSha1(parent, step.name + "/child/" + step.attempt);
    }

    /** Returns the business key of the child: the key of the definition, and from the second attempt on its number. */
    static String key(String key, StepState step) {
        return step.attempt == 1 ? key : key + "#" + step.attempt;
    }
}

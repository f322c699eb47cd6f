package io.waybill.saga.internal.execution;

import com.github.f4b6a3.uuid.UuidCreator;
import java.util.UUID;

/** Derives ids that are the same for every attempt, in every process. */
final class CommandIds {
    private CommandIds() {}

    /**
     * Returns the id of the command that a step sends now. It changes only when the former command can have no effect any more, or
     * when the alternative of the step is another command.
     */
    static UUID forward(UUID saga, StepState step) {
        String what = step.name + (step.alternative ? "/alternative" : "/forward");
        return UuidCreator.getNameBasedSha1(saga, step.refusals == 0 ? what : what + "/" + step.refusals);
    }

    static UUID compensation(UUID saga, String step) {
        return UuidCreator.getNameBasedSha1(saga, step + "/compensate");
    }

    /** The id of the event that carries an attempt. */
    static UUID event(UUID command, int attempt) {
        return UuidCreator.getNameBasedSha1(command, Integer.toString(attempt));
    }
}

package io.waybill.saga;

import io.waybill.Event;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** A step that waits for an event that is not a reply to a command of its saga. */
public final class AwaitStepBuilder<D> extends RepliedStepBuilder<D, AwaitStepBuilder<D>> {
    private final Function<Event, String> businessKey;

    AwaitStepBuilder(SagaBuilder<D> saga, String name, List<String> after, Function<Event, String> businessKey) {
        super(saga, name, after);
        this.businessKey = businessKey;
        attempts(1); // an event that does not come is not awaited again
    }

    @Override
    AwaitStepBuilder<D> self() {
        return this;
    }

    @Override
    StepAction<D> action() {
        return new StepAction.AwaitEvent<>(businessKey, Map.copyOf(replies), Set.copyOf(refusals));
    }
}

package io.waybill.saga;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** A step that sends a command and waits for its reply. */
public final class CommandStepBuilder<D> extends RepliedStepBuilder<D, CommandStepBuilder<D>> {
    private final Function<D, Command> command;

    CommandStepBuilder(SagaBuilder<D> saga, String name, List<String> after, Function<D, Command> command) {
        super(saga, name, after);
        this.command = command;
    }

    @Override
    CommandStepBuilder<D> self() {
        return this;
    }

    @Override
    StepAction<D> action() {
        return new StepAction.Send<>(command, Map.copyOf(replies), Set.copyOf(refusals));
    }
}

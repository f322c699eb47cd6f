package io.waybill.saga;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Code that the engine calls when a step changes its state: after the commit of the change or, if a reply caused it, just before the
 * commit. Best effort: a hook is not called if the process crashes first, and it is called again if a transaction of the inbox is
 * repeated. Use hooks for logs and notifications, not for effects that must happen.
 */
public record StepHooks<D>(
        List<Consumer<D>> onEnter,
        List<Consumer<D>> onSuccess,
        List<BiConsumer<D, String>> onFailure,
        List<Consumer<D>> onCompensated) {
    public StepHooks {
        onEnter = List.copyOf(onEnter);
        onSuccess = List.copyOf(onSuccess);
        onFailure = List.copyOf(onFailure);
        onCompensated = List.copyOf(onCompensated);
    }
}

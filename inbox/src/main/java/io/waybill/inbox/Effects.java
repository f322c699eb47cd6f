package io.waybill.inbox;

import io.waybill.Event;

/**
 * Side effects that no transaction can take back: an e-mail, a call of another service.
 *
 * <p>What this guarantees: once an effect is recorded as done, it is not repeated, however often the handler around it is tried
 * again. What it does not: when the process dies after the effect and before its record, it happens a second time. Hand the
 * effect's key to the receiver as its idempotency key, and even that second time has no effect.
 */
public interface Effects {
    /**
     * Runs the effect unless it is recorded as done. Uses a connection beside the handler's own.
     *
     * @param name what the effect is, the same at every attempt: {@code welcome-mail}; at most 200 characters
     * @return whether it ran now
     */
    boolean once(Event event, String name, Effect effect) throws Exception;

    @FunctionalInterface
    interface Effect {
        /** @param key the same for every attempt and every redelivery of the event */
        void perform(String key) throws Exception;
    }
}

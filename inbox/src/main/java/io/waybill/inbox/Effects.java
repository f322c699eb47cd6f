package io.waybill.inbox;

import io.waybill.Event;

/**
 * Side effects that a transaction cannot roll back, such as an e-mail or a call of another service.
 *
 * <p>Once an effect is recorded as done, it is not repeated, however often its handler is retried. But if the process crashes after
 * the effect and before the record, the effect happens a second time. Pass the key of the effect to the receiver as its idempotency
 * key, and the second call has no effect.
 */
public interface Effects {
    /**
     * Runs the effect unless it is recorded as done. Uses a second connection besides that of the handler.
     *
     * @param name identifies the effect, the same at every attempt, such as {@code welcome-mail}; at most 200 characters
     * @return whether the effect ran in this call
     */
    boolean once(Event event, String name, Effect effect) throws Exception;

    @FunctionalInterface
    interface Effect {
        /** @param key the same for every attempt and every redelivery of the event */
        void perform(String key) throws Exception;
    }
}

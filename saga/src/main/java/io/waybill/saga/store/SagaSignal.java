package io.waybill.saga.store;

import org.jspecify.annotations.Nullable;

/**
 * A message that waits for the engine that next works on a saga.
 *
 * @param id given by the store
 * @param detail JSON or text, according to the kind
 * @param actor the person, for actions of operators
 */
public record SagaSignal(
        long id,
        Kind kind,
        @Nullable String step,
        @Nullable String detail,
        @Nullable String actor,
        @Nullable String reason) {

    public enum Kind {
        /** Retries a stuck step or compensation, with all its attempts. */
        RETRY,
        /** Gives up a stuck step or compensation. */
        SKIP,
        /** Marks a stuck step or compensation as done, because a person did its work. The detail may contain new data. */
        RESOLVE,
        /** Marks a stuck step as failed without effect, now and later. Possible until the pivot has succeeded; the saga is then undone. */
        REFUSE,
        /** Undoes a saga whose pivot has not begun. */
        CANCEL,
        /** A child ended; the detail has its state and its data. */
        CHILD_ENDED,
        /** An event that arrived at an engine without the definition of the saga's version. The detail is the event. */
        EVENT;

        /** Whether a person sends this signal. */
        public boolean isOperators() {
            return this != CHILD_ENDED && this != EVENT;
        }
    }

    public static SagaSignal of(Kind kind, @Nullable String step, @Nullable String detail) {
        return new SagaSignal(0, kind, step, detail, null, null);
    }
}

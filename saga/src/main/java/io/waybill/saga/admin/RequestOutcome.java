package io.waybill.saga.admin;

/**
 * The outcome of a request.
 *
 * @param detail why the engine refused it; empty otherwise
 */
public record RequestOutcome(SagaRequest request, State state, String detail) {

    public enum State {
        /** No engine has applied it yet. */
        PENDING,
        DONE,
        /** It did not fit the state of the saga when an engine applied it, and changed nothing. */
        REFUSED
    }

    public boolean pending() {
        return state == State.PENDING;
    }
}

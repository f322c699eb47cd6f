package io.waybill.inbox.internal.handling;

/** Wraps the exception or error of a handler and rolls back its transaction. */
public final class HandlerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Throwable thrown;

    HandlerFailure(Throwable thrown) {
        super(thrown.getMessage(), thrown, true, false);
        this.thrown = thrown;
    }

    public Throwable thrown() {
        return thrown;
    }
}

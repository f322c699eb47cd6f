package io.waybill.inbox;

/** Carries what a handler threw, errors too, out of its transaction, which it rolls back. */
final class HandlerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Throwable thrown;

    HandlerFailure(Throwable thrown) {
        super(thrown.getMessage(), thrown, true, false);
        this.thrown = thrown;
    }

    Throwable thrown() {
        return thrown;
    }
}

package io.waybill.inbox;

/** The message cannot be read as an event. */
final class PoisonException extends PermanentException {
    private static final long serialVersionUID = 1L;

    PoisonException(String message, Throwable cause) {
        super(message, cause);
    }

    PoisonException(String message) {
        super(message);
    }
}

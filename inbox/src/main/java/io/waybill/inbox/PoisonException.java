package io.waybill.inbox;

/** The message is no event that anybody could read. */
final class PoisonException extends PermanentException {
    private static final long serialVersionUID = 1L;

    PoisonException(String message, Throwable cause) {
        super(message, cause);
    }

    PoisonException(String message) {
        super(message);
    }
}

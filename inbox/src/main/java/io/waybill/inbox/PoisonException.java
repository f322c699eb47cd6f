package io.waybill.inbox;

/** The message cannot be read as an event. */
public final class PoisonException extends PermanentException {
    private static final long serialVersionUID = 1L;

    public PoisonException(String message, Throwable cause) {
        super(message, cause);
    }

    public PoisonException(String message) {
        super(message);
    }
}

package io.waybill.embedded.mongo;

/** An error that is sent to the driver. */
final class CommandError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final boolean transientError;

    /** @param transientError whether the driver may run the whole transaction again */
    CommandError(int code, String message, boolean transientError) {
        super(message);
        this.code = code;
        this.transientError = transientError;
    }

    int code() {
        return code;
    }

    boolean isTransient() {
        return transientError;
    }
}

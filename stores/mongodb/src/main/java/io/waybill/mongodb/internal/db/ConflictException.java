package io.waybill.mongodb.internal.db;

/** The transaction must run again, because another one has committed a document that this one could not see. */
public final class ConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}

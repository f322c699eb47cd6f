package io.waybill.embedded;

import org.jspecify.annotations.Nullable;

/** A local server could not be started, stopped or signalled; the message names its folder and the remedy. */
public final class LocalServerException extends RuntimeException {

    LocalServerException(String message) {
        super(message);
    }

    LocalServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

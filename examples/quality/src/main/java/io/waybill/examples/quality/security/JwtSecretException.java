package io.waybill.examples.quality.security;

/** The service cannot start with the configured secret. */
final class JwtSecretException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JwtSecretException(String message) {
        super(message);
    }
}

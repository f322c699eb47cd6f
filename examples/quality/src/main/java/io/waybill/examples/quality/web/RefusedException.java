package io.waybill.examples.quality.web;

import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/** The request is refused. The transaction rolls back, and the answer gives the reason. */
public final class RefusedException extends ErrorResponseException {
    private static final long serialVersionUID = 1L;

    private RefusedException(HttpStatus status, String detail) {
        super(status, Problems.of(status, detail), null);
    }

    /** 404. */
    public static RefusedException notFound(String what, long id) {
        return new RefusedException(HttpStatus.NOT_FOUND, "There is no " + what + " " + id + ".");
    }

    /** 400. */
    public static RefusedException bad(String detail) {
        return new RefusedException(HttpStatus.BAD_REQUEST, detail);
    }

    /** 401. */
    public static RefusedException unauthenticated(String detail) {
        return new RefusedException(HttpStatus.UNAUTHORIZED, detail);
    }

    /** 429, with the time after which the client may retry. */
    public static RefusedException tooMany(String detail, Duration retryAfter) {
        RefusedException refused = new RefusedException(HttpStatus.TOO_MANY_REQUESTS, detail);
        refused.getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, retryAfter.toSeconds())));
        return refused;
    }
}

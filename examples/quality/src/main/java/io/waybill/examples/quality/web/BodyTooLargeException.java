package io.waybill.examples.quality.web;

import java.io.IOException;
import org.springframework.util.unit.DataSize;

/** A request body is larger than {@code quality.max-body}. */
final class BodyTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    BodyTooLargeException(DataSize limit) {
        super("The body is larger than " + limit.toBytes() + " bytes. Send less.");
    }
}

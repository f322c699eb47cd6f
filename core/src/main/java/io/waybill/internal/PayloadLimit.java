package io.waybill.internal;

import io.waybill.Event;
import io.waybill.WaybillException;
import java.nio.charset.StandardCharsets;

/** The largest payload that an outbox accepts, in bytes of UTF-8. */
public record PayloadLimit(int bytes) {
    /** With its envelope, such a payload fits into the default limit of a Kafka broker, one mebibyte. */
    public static final int DEFAULT_BYTES = 1_000_000;

    /** @param largest the limit of the database */
    public static PayloadLimit of(int bytes, int largest) {
        if (bytes < 1 || bytes > largest) {
            throw new WaybillException("The largest payload must be 1 to " + largest + " bytes, not " + bytes + ".");
        }
        return new PayloadLimit(bytes);
    }

    /** @throws WaybillException if the payload of the event is larger */
    public void check(Event event) {
        if (event.payload().length() * 3L <= bytes) {
            return; // UTF-8 needs at most three bytes per char
        }
        int size = event.payload().getBytes(StandardCharsets.UTF_8).length;
        if (size > bytes) {
            throw new WaybillException("Cannot append event " + event.type() + "/" + event.key() + ": its payload has "
                    + size + " bytes, and the limit is " + bytes
                    + ". Store large content elsewhere and send a reference, or raise the limit of the outbox and of the"
                    + " broker.");
        }
    }
}

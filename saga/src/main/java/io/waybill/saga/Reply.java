package io.waybill.saga;

import io.waybill.Event;

/** The event that answered a command, or that a step awaited. */
public final class Reply {
    private final Event event;
    private final SagaJson json;

    public Reply(Event event, SagaJson json) {
        this.event = event;
        this.json = json;
    }

    public Event event() {
        return event;
    }

    public String type() {
        return event.type();
    }

    /** The payload as JSON text. */
    public String payload() {
        return event.payload();
    }

    /** The payload as an object of this class. */
    public <R> R as(Class<R> type) {
        return json.read(event.payload(), type);
    }

    /** Returns the text or number in this field of the payload, as text; empty if there is none. */
    public String text(String field) {
        return json.text(event.payload(), field);
    }
}

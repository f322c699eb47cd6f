package io.waybill.spring.test;

import io.waybill.Event;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** Assertions about {@link AppendedEvents}; each step filters the events that the step before it found. */
public final class AppendedEventsAssert extends AbstractAssert<AppendedEventsAssert, AppendedEvents> {
    private List<Event> found;

    AppendedEventsAssert(AppendedEvents events) {
        super(events, AppendedEventsAssert.class);
        this.found = events.all();
    }

    /** Requires at least one event of this type. */
    public AppendedEventsAssert appended(String type) {
        found = actual.ofType(type);
        return requireAny("an event of type " + type);
    }

    /** Requires that at least one of the found events has this key. */
    public AppendedEventsAssert forKey(String key) {
        return narrow("with key " + key, event -> event.key().equals(key));
    }

    public AppendedEventsAssert withHeader(String name, String value) {
        return narrow(
                "with header " + name + ": " + value,
                event -> value.equals(event.headers().get(name)));
    }

    /** Requires this payload, as text. */
    public AppendedEventsAssert withPayload(String json) {
        return narrow("with payload " + json, event -> event.payload().equals(json));
    }

    /** Requires this payload, as an object, compared with equals. */
    public AppendedEventsAssert withPayload(Object payload) {
        return narrow("with payload " + payload, event -> payload.equals(actual.payload(event, payload.getClass())));
    }

    /** Requires that the steps before have found exactly one event. */
    public AppendedEventsAssert once() {
        return times(1);
    }

    public AppendedEventsAssert times(int count) {
        if (found.size() != count) {
            failWithMessage(
                    "Expected %s such events, but there are %s. Appended events:%n%s", count, found.size(), list());
        }
        return this;
    }

    public AppendedEventsAssert nothing() {
        if (!actual.all().isEmpty()) {
            failWithMessage("Expected no appended events, but there are:%n%s", list());
        }
        return this;
    }

    private AppendedEventsAssert narrow(String what, Predicate<Event> which) {
        found = found.stream().filter(which).toList();
        return requireAny("such an event " + what);
    }

    private AppendedEventsAssert requireAny(String what) {
        if (found.isEmpty()) {
            failWithMessage("Expected %s, but there is none. Appended events:%n%s", what, list());
        }
        return this;
    }

    private String list() {
        List<Event> all = actual.all();
        return all.isEmpty()
                ? "  nothing"
                : all.stream()
                        .map(event -> "  " + event + " " + event.headers() + " " + event.payload())
                        .collect(Collectors.joining(System.lineSeparator()));
    }
}

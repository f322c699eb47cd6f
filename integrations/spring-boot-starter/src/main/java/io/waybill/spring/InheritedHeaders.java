package io.waybill.spring;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Handler;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an event carries on from where it is appended: from the event that is being handled, and from the application. */
final class InheritedHeaders {
    private static final ThreadLocal<@Nullable Event> HANDLED = new ThreadLocal<>();

    private final List<EventHeaders> sources;

    InheritedHeaders(List<EventHeaders> sources) {
        this.sources = List.copyOf(sources);
    }

    /** The outbox for what is appended here and now. */
    Outbox<Connection> on(Outbox<Connection> outbox) {
        Map<String, String> headers = new LinkedHashMap<>();
        sources.forEach(source -> headers.putAll(source.current()));
        Outbox<Connection> adding = (connection, events) -> outbox.append(
                connection,
                events.stream().map(event -> event.withDefaultHeaders(headers)).toList());
        Event cause = HANDLED.get();
        return cause == null ? adding : FollowUps.of(cause, adding);
    }

    /** The handler, whose events follow from the one it handles. */
    Handler<Connection> asCause(Handler<Connection> handler) {
        return (connection, event) -> {
            HANDLED.set(event);
            try {
                handler.handle(connection, event);
            } finally {
                HANDLED.remove();
            }
        };
    }
}

package io.waybill.spring.actuate;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.inbox.InboxStatus;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.internal.inbox.StoredInbox;
import io.waybill.spring.internal.outbox.StoredOutbox;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/outbox} shows the status, {@code /outbox/dead-letters} (or another state) lists events, {@code
 * /outbox/inbox-dead-letters} lists the dead letters of handlers, {@code /outbox/{id}} shows one event, and a POST to it replays or
 * discards the event.
 */
@Endpoint(id = "outbox")
// Spring Boot 3.5 treats only parameters with Spring's own @Nullable as optional.
@SuppressWarnings("deprecation")
public final class OutboxEndpoint {
    private static final int DEFAULT_LIMIT = 100;

    private final StoredOutbox outbox;
    private final StoredInbox<?> inbox;
    private final RelayLifecycle publisher;
    private final InboxConsumer consumer;

    OutboxEndpoint(StoredOutbox outbox, StoredInbox<?> inbox, RelayLifecycle publisher, InboxConsumer consumer) {
        this.outbox = outbox;
        this.inbox = inbox;
        this.publisher = publisher;
        this.consumer = consumer;
    }

    /**
     * @param publishing whether this application publishes
     * @param consuming whether its handlers receive events
     * @param inbox null when it has no handlers
     */
    public record Report(
            boolean publishing,
            boolean consuming,
            OutboxStatus outbox,
            @Nullable InboxStatus inbox) implements OperationResponseBody {}

    /** The events that an operator's action changed. */
    public record Changed(List<UUID> outbox, List<UUID> inbox) implements OperationResponseBody {}

    @ReadOperation
    public Report status() {
        return new Report(
                publisher.isRunning(),
                consumer.isRunning(),
                outbox.view().status(),
                consumer.hasHandlers() ? inbox.view().status(consumer.group()) : null);
    }

    /** @param what a state in lower case with dashes, {@code inbox-dead-letters}, or an event's id */
    @ReadOperation
    public @Nullable Object show(
            @Selector String what,
            @org.springframework.lang.Nullable String type,
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable Integer limit) {
        EventFilter filter = EventFilter.ALL.type(type).key(key);
        int most = Math.min(limit == null ? DEFAULT_LIMIT : Math.max(1, limit), OutboxView.LARGEST_PAGE);
        if (what.equals("inbox-dead-letters")) {
            return new Listing<>(
                    consumer.hasHandlers()
                            ? inbox.deadLetters().list(consumer.group(), filter, most).stream()
                                    .map(ShownDeadLetter::of)
                                    .toList()
                            : List.of());
        }
        Optional<EventState> state = state(what);
        if (state.isPresent()) {
            return new Listing<>(outbox.view().events(filter.state(state.get()), most).stream()
                    .map(ShownEvent::brief)
                    .toList());
        }
        UUID id = id(what);
        return outbox.view()
                .event(id)
                .map(record -> ShownEvent.whole(record, outbox.view().history(id)))
                .orElse(null);
    }

    /**
     * Replays or discards a dead letter of the outbox or of this application's inbox, and records it in the audit.
     *
     * @param action {@code replay} or {@code discard}
     * @param actor only needed when the request is not authenticated; it is recorded as unauthenticated
     */
    @WriteOperation
    public Changed decide(
            @Selector String id,
            String action,
            @org.springframework.lang.Nullable String actor,
            String reason,
            SecurityContext security) {
        List<UUID> ids = List.of(id(id));
        Decision decision = new Decision(actor(actor, security.getPrincipal()), reason);
        boolean replay = action.equalsIgnoreCase("replay");
        if (!replay && !action.equalsIgnoreCase("discard")) {
            throw refused("The action must be replay or discard, not " + action + ".");
        }
        List<UUID> sent = replay
                ? outbox.deadLetters().replay(ids, decision)
                : outbox.deadLetters().discard(ids, decision);
        List<UUID> received = consumer.hasHandlers() ? decideInInbox(replay, ids, decision) : List.of();
        if (sent.isEmpty() && received.isEmpty()) {
            throw refused("There is no dead letter " + id + ". It may have been replayed or discarded already.");
        }
        return new Changed(sent, received);
    }

    private List<UUID> decideInInbox(boolean replay, List<UUID> ids, Decision decision) {
        return replay
                ? inbox.deadLetters().replay(consumer.group(), ids, decision)
                : inbox.deadLetters().discard(consumer.group(), ids, decision);
    }

    /** Returns the authenticated user, if there is one: a name from the body could be forged. */
    private static String actor(@Nullable String named, @Nullable Principal authenticated) {
        if (authenticated == null) {
            return named == null || named.isBlank() ? "unauthenticated" : named + " (unauthenticated)";
        }
        if (named != null && !named.equals(authenticated.getName())) {
            throw refused("The authenticated user is " + authenticated.getName() + ", but the body names " + named
                    + " as actor. Remove actor from the body.");
        }
        return authenticated.getName();
    }

    private static Optional<EventState> state(String what) {
        String name = what.equals("dead-letters")
                ? "DEAD_LETTER"
                : what.toUpperCase(Locale.ROOT).replace('-', '_');
        return List.of(EventState.values()).stream()
                .filter(state -> state.name().equals(name))
                .findFirst();
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw refused(
                    "There is no state or event " + text + ". Use pending, claimed, parked, published, dead-letters,"
                            + " discarded, inbox-dead-letters, or an event's id.");
        }
    }

    private static InvalidEndpointRequestException refused(String why) {
        return new InvalidEndpointRequestException(why, why);
    }
}

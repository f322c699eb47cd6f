package io.waybill.saga.participant;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Handler;
import io.waybill.inbox.PermanentException;
import io.waybill.saga.SagaHeaders;
import io.waybill.saga.SagaJson;
import io.waybill.saga.participant.CommandStore.Known;
import io.waybill.saga.participant.CommandStore.State;
import io.waybill.saga.participant.CommandStore.StoredReply;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes handlers of commands idempotent: each command is executed once, however often it arrives, and each repetition gets the same
 * reply.
 *
 * <p>A compensation may arrive before its command, because they travel on different topics or one of them is repeated. Then the
 * participant stores a tombstone, so that it does not execute the late command, and confirms the compensation.
 *
 * @param <T> the type of a transaction, such as a JDBC {@code Connection}
 */
public final class SagaParticipant<T> {
    /** The default of {@link #retention}. */
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(30);

    private final String group;
    private final CommandStore<T> store;
    private final Outbox<T> outbox;
    private final SagaJson json;
    private final CommandPruner pruner;

    private SagaParticipant(String group, CommandStore<T> store, Outbox<T> outbox, SagaJson json, Duration retention) {
        this.group = group;
        this.store = store;
        this.outbox = outbox;
        this.json = json;
        this.pruner = new CommandPruner(limit -> store.prune(group, retention, limit), Ticker.SYSTEM);
    }

    /** @param group the consumer group of the participant */
    public static <T> SagaParticipant<T> of(String group, CommandStore<T> store, Outbox<T> outbox) {
        return of(group, store, outbox, SagaJson.DEFAULT);
    }

    /** @param json writes the payloads of replies */
    public static <T> SagaParticipant<T> of(String group, CommandStore<T> store, Outbox<T> outbox, SagaJson json) {
        return new SagaParticipant<>(
                requireNonNull(group, "group"),
                requireNonNull(store, "store"),
                requireNonNull(outbox, "outbox"),
                requireNonNull(json, "json"),
                DEFAULT_RETENTION);
    }

    /**
     * Forgets commands that were decided longer ago than this (default 30 days). This must be longer than the longest saga takes: a
     * command that is repeated after that time is executed again. Handlers remove old commands from time to time.
     */
    public SagaParticipant<T> retention(Duration age) {
        if (age.isZero() || age.isNegative()) {
            throw new WaybillException("The retention of a participant must be positive, not " + age + ".");
        }
        return new SagaParticipant<>(group, store, outbox, json, age);
    }

    /** Executes a command. An exception rolls it back, and the inbox retries it. */
    @FunctionalInterface
    public interface CommandHandler<T> {
        Answer handle(T transaction, Event command) throws Exception;
    }

    /** Undoes a command that was executed. */
    @FunctionalInterface
    public interface CompensationHandler<T> {
        /** @return the payload of the reply */
        Object undo(T transaction, Event compensation) throws Exception;
    }

    /** Returns the handler of a command, for {@link io.waybill.inbox.InboxBuilder#on}. */
    public Handler<T> command(CommandHandler<T> handler) {
        requireNonNull(handler, "handler");
        return (transaction, event) -> {
            UUID command = id(event, SagaHeaders.COMMAND_ID);
            pruner.maybePrune();
            Optional<Known> known = store.putIfAbsent(transaction, group, command, State.DONE);
            if (known.isPresent()) {
                StoredReply reply = known.get().reply();
                if (reply != null
                        && (known.get().state() == State.DONE || known.get().state() == State.REFUSED)) {
                    send(transaction, event, reply);
                }
                return; // a compensated command, or a tombstone: the saga does not wait for it any more
            }
            Answer answer = handler.handle(transaction, event);
            StoredReply reply = new StoredReply(answer.type(), answer.key(), json.write(answer.payload()));
            store.update(transaction, group, command, answer.refused() ? State.REFUSED : State.DONE, reply);
            send(transaction, event, reply);
        };
    }

    /**
     * Returns the handler of a compensation.
     *
     * @param replyType the type of the event that confirms the compensation; null to send none
     * @param handler runs only if the command was executed and is not undone yet
     */
    public Handler<T> compensation(@Nullable String replyType, CompensationHandler<T> handler) {
        requireNonNull(handler, "handler");
        return (transaction, event) -> {
            UUID command = id(event, SagaHeaders.COMPENSATES);
            Optional<Known> known = store.putIfAbsent(transaction, group, command, State.TOMBSTONE);
            StoredReply reply = null;
            if (known.isPresent() && known.get().state() == State.DONE) {
                Object payload = handler.undo(transaction, event);
                reply = replyType == null ? null : new StoredReply(replyType, event.key(), json.write(payload));
                store.update(transaction, group, command, State.COMPENSATED, reply);
            } else if (known.isPresent() && known.get().state() == State.COMPENSATED) {
                reply = known.get().reply();
            } else { // refused, or not executed and now never will be
                reply = nothingToUndo(replyType, event);
            }
            if (reply != null) {
                send(transaction, event, reply);
            }
        };
    }

    private static @Nullable StoredReply nothingToUndo(@Nullable String replyType, Event event) {
        return replyType == null ? null : new StoredReply(replyType, event.key(), "{\"nothingToUndo\":true}");
    }

    private void send(T transaction, Event command, StoredReply reply) {
        Event.Builder event = Event.builder(reply.type(), command.aggregateType(), reply.key())
                .payload(reply.payload());
        command.headers().forEach((name, value) -> {
            if (name.startsWith("saga-")) {
                event.header(name, value);
            }
        });
        FollowUps.of(command, outbox).append(transaction, event.build());
    }

    private static UUID id(Event event, String header) {
        String value = event.headers().get(header);
        try {
            return UUID.fromString(value == null ? "" : value);
        } catch (IllegalArgumentException e) {
            throw new PermanentException("Event " + event + " is no command of a saga: its header " + header
                    + " has no id. Only sagas may send this type, or handle it without SagaParticipant.");
        }
    }
}

package io.waybill.spring.test;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaResult;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.PayloadJson;
import io.waybill.spring.RelayLifecycle;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;

/**
 * Runs the sagas of a test step by step, and plays their participants.
 *
 * <pre>{@code
 * orders.place(order);                                              // starts the saga
 * Event command = sagas.command("stock.reserve");
 * sagas.reply(command, "stock.reserved", Map.of("reservation", "A7"));
 * assertThat(sagas.await(placeOrder, "42").status()).isEqualTo(SagaStatus.COMPLETED);
 * }</pre>
 *
 * <p>Timers run on real time. Test time-outs with {@code SagaScenario}, which needs neither Spring nor a database.
 */
@ConditionalOnClass(name = "io.waybill.saga.Sagas")
public final class SagaDriver {
    private static final int MOST_TURNS = 1_000;

    private final ObjectProvider<Sagas<Connection>> sagas;
    private final ObjectProvider<InboxConsumer> consumer;
    private final ObjectProvider<RelayLifecycle> relay;
    private final ObjectProvider<Envelope> envelope;
    private final ObjectProvider<PayloadJson> json;
    private final AppendedEvents events;

    SagaDriver(
            ObjectProvider<Sagas<Connection>> sagas,
            ObjectProvider<InboxConsumer> consumer,
            ObjectProvider<RelayLifecycle> relay,
            ObjectProvider<Envelope> envelope,
            ObjectProvider<PayloadJson> json,
            AppendedEvents events) {
        this.sagas = sagas;
        this.consumer = consumer;
        this.relay = relay;
        this.envelope = envelope;
        this.json = json;
        this.events = events;
    }

    /** Runs the engine until no saga is due. */
    public void run() {
        EventDelivery.requireNoTransaction();
        for (int turn = 0; sagas.getObject().runOnce() > 0; turn++) {
            if (turn == MOST_TURNS) {
                throw new AssertionError("A saga is still due after " + MOST_TURNS + " turns.");
            }
        }
    }

    /**
     * Runs the engine, and returns the last command of this type that was sent since the test began.
     *
     * @throws AssertionError when there is none
     */
    public Event command(String type) {
        run();
        List<Event> sent = events.ofType(type);
        if (sent.isEmpty()) {
            throw new AssertionError(
                    "No saga has sent a command of type " + type + ". Appended events: " + events.all());
        }
        return sent.get(sent.size() - 1);
    }

    /**
     * Passes the reply of a participant to the application's inbox, and runs the engine.
     *
     * @param payload a string that is JSON, or any object, which is written as JSON
     */
    public void reply(Event command, String type, Object payload) {
        EventDelivery.requireNoTransaction();
        Event.Builder reply = Event.builder(type, command.aggregateType(), command.key())
                .payload(
                        payload instanceof String text ? text : json.getObject().write(payload));
        command.headers().forEach((name, value) -> {
            if (name.startsWith("saga-")) {
                reply.header(name, value);
            }
        });
        Inbox<?> inbox = consumer.getObject()
                .inbox()
                .orElseThrow(() -> new IllegalStateException("No saga of this application waits for a reply."));
        InboxOutcome outcome =
                inbox.handle(ReceivedMessage.of(envelope.getObject().seal(reply.build())));
        if (outcome != InboxOutcome.PROCESSED) {
            throw new AssertionError("The inbox has not processed the reply " + type + " to command " + command + ": "
                    + outcome + ". The log contains the reason.");
        }
        run();
    }

    /** Waits like {@link #await(Saga, String, Duration)}, for at most 30 seconds. */
    public <D> SagaResult<D> await(Saga<D> saga, String businessKey) {
        return await(saga, businessKey, EventDelivery.LIMIT);
    }

    /**
     * Runs the engine until the saga has ended or has a compensation that waits for a person. With the in-process transport, also
     * delivers events, so that participants in this application answer.
     *
     * @throws AssertionError when the saga has not ended at the limit
     */
    public <D> SagaResult<D> await(Saga<D> saga, String businessKey, Duration limit) {
        long began = System.nanoTime();
        while (true) {
            run();
            Optional<SagaResult<D>> result = sagas.getObject().result(saga, businessKey);
            if (result.isPresent() && hasEnded(result.get().status())) {
                return result.get();
            }
            if (System.nanoTime() - began > limit.toNanos()) {
                throw new AssertionError(
                        "Saga " + saga.name() + "/" + businessKey + " has not ended after " + limit + ": "
                                + result.map(SagaResult::toString).orElse("it does not exist") + ". Appended events: "
                                + events.all());
            }
            if (relay.getObject().isInProcess()) {
                relay.getObject().runOnce();
                consumer.getObject().inbox().ifPresent(Inbox::runDue);
            }
            LockSupport.parkNanos(EventDelivery.PAUSE.toNanos());
        }
    }

    private static boolean hasEnded(SagaStatus status) {
        return status.isEnd() || status == SagaStatus.FAILED;
    }
}

package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.inbox.internal.message.DeadLetterMessage;
import io.waybill.inbox.internal.message.ErrorText;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;

/**
 * Delivers events to an inbox in the same process, without a broker. A relay with this transport is a worker that polls the outbox and
 * applies each event once; it supports {@code runOnce} and {@code start}. Once the inbox has received an event, the inbox is
 * responsible for its retries and its dead letter.
 */
public final class InProcessTransport implements Transport {
    private final Inbox<?> inbox;
    private final boolean keepUnknownTypes;

    private InProcessTransport(Inbox<?> inbox, boolean keepUnknownTypes) {
        this.inbox = requireNonNull(inbox, "inbox");
        this.keepUnknownTypes = keepUnknownTypes;
    }

    /** The caller must also run the background work of the inbox: {@link Inbox#start()}, or {@link Inbox#runDue()} after each run. */
    public static InProcessTransport to(Inbox<?> inbox) {
        return new InProcessTransport(inbox, false);
    }

    /**
     * Like {@link #to}, but an event without a handler is not acknowledged. It stays in the outbox with that reason, uses up no
     * attempt, and blocks only later events of its key.
     */
    public static InProcessTransport onlyHandledTypes(Inbox<?> inbox) {
        return new InProcessTransport(inbox, true);
    }

    @Override
    public void send(Message message, Delivery delivery) {
        Failure failure = null;
        // Without a broker there is no dead-letter topic; the inbox that wrote the dead letter keeps it for operators.
        if (!message.headers().containsKey(DeadLetterMessage.GROUP)) {
            try {
                InboxOutcome outcome = inbox.handle(ReceivedMessage.of(message));
                if (outcome == InboxOutcome.SKIPPED && keepUnknownTypes) {
                    failure = Failure.outage(
                            "There is no handler for event " + message.id() + " (topic " + message.topic()
                                    + "), and no broker is configured. Add a handler for its type, configure a broker,"
                                    + " or let unknown types be skipped (in Spring, waybill.inbox.on-unknown-type=skip).");
                }
            } catch (OutageException e) {
                failure = Failure.outage(ErrorText.of(e));
            } catch (RuntimeException e) {
                failure = Failure.transientFailure(ErrorText.of(e));
            }
        }
        if (failure == null) {
            delivery.acknowledged();
        } else {
            delivery.failed(failure);
        }
    }

    @Override
    public void probe() {
        inbox.requireNotPaused();
        inbox.probe();
    }

    @Override
    public void close() {}
}

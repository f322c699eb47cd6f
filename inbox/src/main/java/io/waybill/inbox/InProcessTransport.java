package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;

/**
 * Hands events to an inbox in the same process, without a broker: the way small services start. A relay with this transport is
 * a worker that polls the outbox and applies each event once; {@code runOnce} and {@code start} both work. Once the inbox has an
 * event, its retries and dead letters are the inbox's.
 */
public final class InProcessTransport implements Transport {
    private final Inbox<?> inbox;
    private final boolean keepUnknownTypes;

    private InProcessTransport(Inbox<?> inbox, boolean keepUnknownTypes) {
        this.inbox = requireNonNull(inbox, "inbox");
        this.keepUnknownTypes = keepUnknownTypes;
    }

    /** The inbox's own background work is the caller's: {@link Inbox#start()}, or {@link Inbox#runDue()} after each run. */
    public static InProcessTransport to(Inbox<?> inbox) {
        return new InProcessTransport(inbox, false);
    }

    /**
     * Like {@link #to}, but an event whose type the inbox skips, because it has no handler, is not acknowledged. It stays in the
     * outbox with that reason, counts no attempt, and holds back later events of its key only.
     */
    public static InProcessTransport onlyHandledTypes(Inbox<?> inbox) {
        return new InProcessTransport(inbox, true);
    }

    @Override
    public void send(Message message, Delivery delivery) {
        Failure failure = null;
        // A dead letter has nowhere to go without a broker; the inbox that wrote it keeps it for a person.
        if (!message.headers().containsKey(DeadLetterMessage.GROUP)) {
            try {
                InboxOutcome outcome = inbox.handle(ReceivedMessage.of(message));
                if (outcome == InboxOutcome.SKIPPED && keepUnknownTypes) {
                    failure = Failure.outage("No handler takes event " + message.id() + " (topic " + message.topic()
                            + "), and no broker is configured that could take it. Add a handler of its type, configure the broker,"
                            + " or let unknown types be skipped (in Spring, waybill.inbox.on-unknown-type=skip).");
                }
            } catch (OutageException e) {
                failure = Failure.outage(FailureRecorder.said(e));
            } catch (RuntimeException e) {
                failure = Failure.transientFailure(FailureRecorder.said(e));
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
        inbox.demandTurn();
        inbox.probe();
    }

    @Override
    public void close() {}
}

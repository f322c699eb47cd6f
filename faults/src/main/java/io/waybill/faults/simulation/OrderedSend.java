package io.waybill.faults.simulation;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;

/**
 * Messages of one key that are in flight together: each arrives only after the one before it. After one has failed, or its answer
 * was lost, the messages behind it are reported as failed too, whether they arrive or not.
 */
final class OrderedSend {
    private static final long TIMEOUT = 2 * Scheduler.SECOND;

    private final Environment environment;
    private final Scheduler scheduler;
    private final SimulatedBroker broker;
    private final RelayProcess process;
    /** No further message arrives. */
    private boolean broken;
    /** No further answer comes back. */
    private boolean answersLost;
    /** No further message is acknowledged. */
    private boolean failed;

    private long lastAnswer;
    private int size;
    private int acknowledged;

    OrderedSend(Environment environment, SimulatedBroker broker, RelayProcess process) {
        this.environment = environment;
        this.scheduler = environment.scheduler;
        this.broker = broker;
        this.process = process;
    }

    void add(Row row, Delivery delivery, long delay) {
        PendingMessage message = new PendingMessage(row, size++, delivery);
        scheduler.after(delay, () -> arrive(row, message));
        scheduler.after(TIMEOUT, () -> timeOut(message));
    }

    /** Reports a timeout. The message may still arrive later. */
    private void timeOut(PendingMessage message) {
        if (message.open()) {
            boolean culprit = !failed || scheduler.chance(0.3);
            failed = true;
            message.failed(culprit ? Failure.outage("timeout") : Failure.abandoned("behind a timeout"));
        }
    }

    private void arrive(Row row, PendingMessage message) {
        boolean never = process.dead() && (environment.bug == Bug.ACK_BEFORE_SEND || scheduler.chance(0.5));
        broken |= never || (environment.parameters.lostAcks() && !environment.healed() && scheduler.chance(0.03));
        if (broken) {
            if (scheduler.chance(0.5)) {
                inTurn(() -> {
                    failed = true;
                    message.failed(Failure.abandoned("the connection broke"));
                });
            }
            return; // otherwise the relay sees no answer until the timeout
        }
        SimulatedBroker.Answer answer =
                process.brokerCutOff() ? SimulatedBroker.Answer.NO_ANSWER : broker.receive(row.event);
        answersLost |= environment.parameters.lostAcks() && !environment.healed() && scheduler.chance(0.06);
        broken = answer != SimulatedBroker.Answer.ACCEPTED;
        if (answer == SimulatedBroker.Answer.ACCEPTED && !answersLost) {
            inTurn(() -> acknowledge(message));
        } else if (answer == SimulatedBroker.Answer.REJECTED_FOR_NOW || answer == SimulatedBroker.Answer.REJECTED) {
            inTurn(() -> reject(row, message, answer == SimulatedBroker.Answer.REJECTED));
        }
    }

    /** Delivers an answer. Answers do not overtake each other. */
    private void inTurn(Runnable answer) {
        lastAnswer = Math.max(lastAnswer, scheduler.now() + environment.latency()) + 1;
        scheduler.after(lastAnswer - scheduler.now(), answer);
    }

    private void acknowledge(PendingMessage message) {
        if (failed) {
            message.failed(Failure.abandoned("behind a failure"));
        } else {
            message.acknowledged();
        }
    }

    private void reject(Row row, PendingMessage message, boolean permanently) {
        if (failed) {
            message.failed(Failure.abandoned("behind a failure"));
            return;
        }
        failed = true;
        if (message.open() && message.place == acknowledged && !process.dead()) {
            environment.checker.rejected(
                    row, permanently); // otherwise the relay does not know yet whether earlier messages arrived
        }
        message.failed(permanently ? Failure.permanent("rejected") : Failure.transientFailure("not now"));
    }

    /** A message without a result so far. Its result is reported once. */
    private final class PendingMessage {
        private final Row row;
        private final int place;
        private final Delivery delivery;
        private boolean reported;

        PendingMessage(Row row, int place, Delivery delivery) {
            this.row = row;
            this.place = place;
            this.delivery = delivery;
        }

        boolean open() {
            return !reported;
        }

        void acknowledged() {
            if (!reported) {
                reported = true;
                acknowledged++;
                scheduler.note(
                        () -> process + " receives the result of " + row.key() + "#" + row.position + " acknowledged");
                delivery.acknowledged();
            }
        }

        void failed(Failure failure) {
            if (!reported) {
                reported = true;
                scheduler.note(
                        () -> process + " receives the result of " + row.key() + "#" + row.position + " " + failure);
                delivery.failed(failure);
            }
        }
    }
}

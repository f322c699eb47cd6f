package io.waybill.testkit.simulation;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;

/**
 * Messages of one key on their way together: each arrives only after the one before it. Once one has failed, or its answer
 * is lost, those behind it are told to have failed too, whether they arrive or not.
 */
final class Line {
    private static final long TIME_OUT = 2 * Conductor.SECOND;

    private final World world;
    private final Conductor conductor;
    private final SimulatedBroker broker;
    private final Life life;
    /** Nothing more arrives. */
    private boolean broken;
    /** No answer comes back any more. */
    private boolean deaf;
    /** Nothing more is acknowledged. */
    private boolean failed;

    private long lastAnswer;
    private int size;
    private int acknowledged;

    Line(World world, SimulatedBroker broker, Life life) {
        this.world = world;
        this.conductor = world.conductor;
        this.broker = broker;
        this.life = life;
    }

    void add(Row row, Delivery delivery, long delay) {
        Told told = new Told(row, size++, delivery);
        conductor.after(delay, () -> arrive(row, told));
        conductor.after(TIME_OUT, () -> silence(told));
    }

    /** The message may still arrive later. */
    private void silence(Told told) {
        if (told.open()) {
            boolean culprit = !failed || conductor.chance(0.3);
            failed = true;
            told.failed(culprit ? Failure.outage("time-out") : Failure.abandoned("behind a time-out"));
        }
    }

    private void arrive(Row row, Told told) {
        boolean never = life.dead() && (world.bug == Bug.ACK_BEFORE_SEND || conductor.chance(0.5));
        broken |= never || (world.plan.lostAcks() && !world.healed() && conductor.chance(0.03));
        if (broken) {
            if (conductor.chance(0.5)) {
                inTurn(() -> {
                    failed = true;
                    told.failed(Failure.abandoned("the connection broke"));
                });
            }
            return; // otherwise there is silence until the time-out
        }
        SimulatedBroker.Answer answer = life.brokerCutOff() ? SimulatedBroker.Answer.SILENCE : broker.take(row.event);
        deaf |= world.plan.lostAcks() && !world.healed() && conductor.chance(0.06);
        broken = answer != SimulatedBroker.Answer.TAKEN;
        if (answer == SimulatedBroker.Answer.TAKEN && !deaf) {
            inTurn(() -> acknowledge(told));
        } else if (answer == SimulatedBroker.Answer.NOT_NOW || answer == SimulatedBroker.Answer.NEVER) {
            inTurn(() -> refuse(row, told, answer == SimulatedBroker.Answer.NEVER));
        }
    }

    /** Answers do not overtake each other either. */
    private void inTurn(Runnable answer) {
        lastAnswer = Math.max(lastAnswer, conductor.now() + world.latency()) + 1;
        conductor.after(lastAnswer - conductor.now(), answer);
    }

    private void acknowledge(Told told) {
        if (failed) {
            told.failed(Failure.abandoned("behind a failure"));
        } else {
            told.acknowledged();
        }
    }

    private void refuse(Row row, Told told, boolean forGood) {
        if (failed) {
            told.failed(Failure.abandoned("behind a failure"));
            return;
        }
        failed = true;
        if (told.open() && told.place == acknowledged && !life.dead()) {
            world.judge.refused(row, forGood); // else the relay cannot know yet whether those before it are through
        }
        told.failed(forGood ? Failure.permanent("refused") : Failure.transientFailure("not now"));
    }

    /** A result is told once. */
    private final class Told {
        private final Row row;
        private final int place;
        private final Delivery delivery;
        private boolean told;

        Told(Row row, int place, Delivery delivery) {
            this.row = row;
            this.place = place;
            this.delivery = delivery;
        }

        boolean open() {
            return !told;
        }

        void acknowledged() {
            if (!told) {
                told = true;
                acknowledged++;
                conductor.note(() -> life + " is told: " + row.key() + "#" + row.position + " acknowledged");
                delivery.acknowledged();
            }
        }

        void failed(Failure failure) {
            if (!told) {
                told = true;
                conductor.note(() -> life + " is told: " + row.key() + "#" + row.position + " " + failure);
                delivery.failed(failure);
            }
        }
    }
}

package io.waybill.testkit.simulation;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayListener;
import io.waybill.store.Lease;
import io.waybill.store.StoreException;
import io.waybill.transport.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The relays of a run: the real ones, each with a life of its own. */
final class Fleet {
    private static final Envelope BARE = Fleet::bare;
    private static final byte[] NOTHING = {};

    private final World world;
    private final Conductor conductor;
    private final SimulatedBroker broker;
    private final List<Member> members = new ArrayList<>();
    private final List<Life> lives = new ArrayList<>();
    private int closing;
    private int lateWrites;
    private int deadLetters;
    private int outages;

    private final RelayListener listener = new RelayListener() {
        @Override
        public void fenceRejected(Lease lease) {
            lateWrites++;
        }

        @Override
        public void deadLettered(Event event, String reason) {
            deadLetters++;
        }

        @Override
        public void outageBegan(String reason) {
            outages++;
        }
    };

    private record Member(Life life, Relay relay) {}

    Fleet(World world, SimulatedBroker broker) {
        this.world = world;
        this.conductor = world.conductor;
        this.broker = broker;
    }

    private static Message bare(Event event) {
        return new Message(event.id(), event.destination(), event.key(), NOTHING, Map.of());
    }

    void launch() {
        Member member = build();
        conductor.note(() -> member.life() + " starts");
        members.add(member);
        member.relay().start();
    }

    /** As a cron job does, beside the others. */
    void runOnce() {
        Member member = build();
        conductor.note(() -> member.life() + " runs once");
        closing++;
        conductor.spawn(member.life(), "cron", () -> {
            try {
                member.relay().runOnce();
            } catch (StoreException e) {
                conductor.note(() -> member.life() + " ends: " + e.getMessage());
            } finally {
                closing--;
            }
        });
    }

    private Member build() {
        Life life = new Life(String.format("r%02d", lives.size() + 1), conductor);
        lives.add(life);
        Relay relay = Relay.builder(
                        new DatabaseLink(world, life, world.plan.onDeadLetter()), new BrokerLink(world, broker, life))
                .name(life.toString())
                .envelope(BARE)
                .batchSize(world.plan.batchSize())
                .workers(world.plan.workers())
                .pollEvery(Duration.ofMillis(100))
                .idleLimit(Duration.ofMillis(800))
                .lease(World.LEASE)
                .retry(World.RETRY)
                .onDeadLetter(world.plan.onDeadLetter())
                .stopLimit(Duration.ofSeconds(10))
                .listener(listener)
                .ticker(life)
                .build();
        return new Member(life, relay);
    }

    Life any() {
        return members.get(conductor.random.nextInt(members.size())).life();
    }

    /** Another takes its place, sooner or later. */
    void kill() {
        Member member = members.remove(conductor.random.nextInt(members.size()));
        conductor.note(() -> member.life() + " is killed");
        member.life().kill();
        replace();
    }

    void stop() {
        Member member = members.remove(conductor.random.nextInt(members.size()));
        close(member);
        replace();
    }

    private void close(Member member) {
        conductor.note(() -> member.life() + " is to stop");
        closing++;
        conductor.spawn(member.life(), "closing", () -> {
            member.relay().close();
            closing--;
        });
    }

    private void replace() {
        if (members.isEmpty()) {
            launch();
        } else {
            conductor.after(conductor.between(0, 3 * Conductor.SECOND), () -> {
                if (!world.healed()) {
                    launch();
                }
            });
        }
    }

    void heal() {
        lives.forEach(Life::heal);
    }

    void closeAll() {
        members.forEach(this::close);
    }

    /** Unlike those that were killed, relays that were closed must leave nothing behind. */
    boolean ownsALane() {
        return members.stream()
                .anyMatch(member -> world.store.ownsALane(member.relay().name()));
    }

    Simulation.Sights sights() {
        return new Simulation.Sights(
                world.judge.deliveries(),
                world.judge.duplicates(),
                world.judge.together(),
                lateWrites,
                deadLetters,
                outages);
    }

    boolean closed() {
        return closing == 0;
    }

    void killAll() {
        lives.forEach(Life::kill);
    }
}

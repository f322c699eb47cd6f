package io.waybill.faults.simulation;

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

/** The relays of a run: real relays, each in its own simulated process. */
final class SimulatedRelays {
    private static final Envelope BARE = SimulatedRelays::bare;
    private static final byte[] NOTHING = {};

    private final Environment environment;
    private final Scheduler scheduler;
    private final SimulatedBroker broker;
    private final List<Member> members = new ArrayList<>();
    private final List<RelayProcess> processes = new ArrayList<>();
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

    private record Member(RelayProcess process, Relay relay) {}

    SimulatedRelays(Environment environment, SimulatedBroker broker) {
        this.environment = environment;
        this.scheduler = environment.scheduler;
        this.broker = broker;
    }

    private static Message bare(Event event) {
        return new Message(event.id(), event.destination(), event.key(), NOTHING, Map.of());
    }

    void launch() {
        Member member = build();
        scheduler.note(() -> member.process() + " starts");
        members.add(member);
        member.relay().start();
    }

    /** Runs a relay once, as a cron job does, beside the others. */
    void runOnce() {
        Member member = build();
        scheduler.note(() -> member.process() + " runs once");
        closing++;
        scheduler.spawn(member.process(), "cron", () -> {
            try {
                member.relay().runOnce();
            } catch (StoreException e) {
                scheduler.note(() -> member.process() + " ends: " + e.getMessage());
            } finally {
                closing--;
            }
        });
    }

    private Member build() {
        RelayProcess process = new RelayProcess(String.format("r%02d", processes.size() + 1), scheduler);
        processes.add(process);
        Relay relay = Relay.builder(
                        new SimulatedStore(environment, process, environment.parameters.onDeadLetter()),
                        new SimulatedTransport(environment, broker, process))
                .name(process.toString())
                .envelope(BARE)
                .batchSize(environment.parameters.batchSize())
                .workers(environment.parameters.workers())
                .pollEvery(Duration.ofMillis(100))
                .idleLimit(Duration.ofMillis(800))
                .lease(Environment.LEASE)
                .retry(Environment.RETRY)
                .onDeadLetter(environment.parameters.onDeadLetter())
                .stopLimit(Duration.ofSeconds(10))
                .listener(listener)
                .ticker(process)
                .build();
        return new Member(process, relay);
    }

    RelayProcess any() {
        return members.get(scheduler.random.nextInt(members.size())).process();
    }

    /** Kills a relay. Another one replaces it later. */
    void kill() {
        Member member = members.remove(scheduler.random.nextInt(members.size()));
        scheduler.note(() -> member.process() + " is killed");
        member.process().kill();
        replace();
    }

    void stop() {
        Member member = members.remove(scheduler.random.nextInt(members.size()));
        close(member);
        replace();
    }

    private void close(Member member) {
        scheduler.note(() -> member.process() + " stops");
        closing++;
        scheduler.spawn(member.process(), "closing", () -> {
            member.relay().close();
            closing--;
        });
    }

    private void replace() {
        if (members.isEmpty()) {
            launch();
        } else {
            scheduler.after(scheduler.between(0, 3 * Scheduler.SECOND), () -> {
                if (!environment.healed()) {
                    launch();
                }
            });
        }
    }

    void heal() {
        processes.forEach(RelayProcess::heal);
    }

    void closeAll() {
        members.forEach(this::close);
    }

    /** Whether a closed relay still owns a lane. A closed relay must release its lanes, unlike a killed one. */
    boolean ownsALane() {
        return members.stream()
                .anyMatch(member -> environment.store.ownsALane(member.relay().name()));
    }

    Simulation.Observations observations() {
        return new Simulation.Observations(
                environment.checker.deliveries(),
                environment.checker.duplicates(),
                environment.checker.together(),
                lateWrites,
                deadLetters,
                outages);
    }

    boolean closed() {
        return closing == 0;
    }

    void killAll() {
        processes.forEach(RelayProcess::kill);
    }
}

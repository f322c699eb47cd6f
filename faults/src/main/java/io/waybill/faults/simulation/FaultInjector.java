package io.waybill.faults.simulation;

import io.waybill.admin.OutboxPause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Injects one fault after another until the environment is healed. */
final class FaultInjector {
    private final Environment environment;
    private final Scheduler scheduler;
    private final SimulatedBroker broker;
    private final SimulatedRelays relays;
    private final List<Runnable> kinds = new ArrayList<>();
    private int pauses;

    FaultInjector(Environment environment, SimulatedBroker broker, SimulatedRelays relays) {
        this.environment = environment;
        this.scheduler = environment.scheduler;
        this.broker = broker;
        this.relays = relays;
        RunParameters parameters = environment.parameters;
        when(parameters.kills(), relays::kill);
        when(parameters.restarts(), relays::stop);
        when(parameters.restarts(), relays::runOnce);
        when(parameters.freezes(), () -> freeze(relays.any()));
        when(parameters.clockJumps(), () -> setClock(relays.any()));
        when(parameters.cuts(), () -> cutOff(relays.any()));
        when(parameters.databaseCrashes(), environment::crashDatabase);
        when(parameters.brokerOutages(), this::breakBroker);
        when(parameters.pauses(), this::pause);
    }

    private void when(boolean planned, Runnable kind) {
        if (planned) {
            kinds.add(kind);
        }
    }

    void start() {
        if (!kinds.isEmpty()) {
            scheduler.after(scheduler.between(0, 3 * Scheduler.SECOND), this::strike);
        }
    }

    private void strike() {
        if (!environment.healed()) {
            kinds.get(scheduler.random.nextInt(kinds.size())).run();
            start();
        }
    }

    private long aWhile() {
        return scheduler.between(Scheduler.MILLISECOND, Environment.LEASE.toNanos() * 2);
    }

    private void freeze(RelayProcess process) {
        long time = aWhile();
        scheduler.note(() -> process + " freezes for " + time / Scheduler.MILLISECOND + " ms");
        process.freeze(time);
    }

    private void setClock(RelayProcess process) {
        long time = scheduler.between(-20 * Scheduler.SECOND, 20 * Scheduler.SECOND);
        scheduler.note(() -> "the clock of " + process + " is " + time / Scheduler.MILLISECOND + " ms ahead");
        process.setClock(time);
    }

    private void cutOff(RelayProcess process) {
        long time = aWhile();
        scheduler.note(() -> process + " cannot reach the database for " + time / Scheduler.MILLISECOND + " ms");
        process.cutOff(time);
    }

    private void breakBroker() {
        long time = aWhile();
        if (scheduler.chance(0.3)) {
            RelayProcess process = relays.any();
            scheduler.note(() -> process + " cannot reach the broker for " + time / Scheduler.MILLISECOND + " ms");
            process.cutOffBroker(time);
        } else if (scheduler.chance(0.5)) {
            scheduler.note(() -> "the broker is out for " + time / Scheduler.MILLISECOND + " ms");
            broker.goDown(time);
        } else {
            String key = "k" + scheduler.random.nextInt(environment.parameters.keys());
            scheduler.note(() -> "the partition of " + key + " is out for " + time / Scheduler.MILLISECOND + " ms");
            broker.losePartition(key, time);
        }
    }

    /** An operator pauses a key, a topic or relays. The pause ends by itself. */
    private void pause() {
        long time = aWhile();
        OutboxPause.Scope scope = scheduler.chance(0.6)
                ? OutboxPause.Scope.KEY
                : scheduler.chance(0.5) ? OutboxPause.Scope.RELAY : OutboxPause.Scope.TYPE;
        String value = switch (scope) {
            case KEY -> "k" + scheduler.random.nextInt(environment.parameters.keys());
            case RELAY ->
                scheduler.chance(0.5) ? OutboxPause.EVERY_RELAY : relays.any().toString();
            default ->
                environment.store.rows().isEmpty()
                        ? "none"
                        : environment.store.rows().get(0).event.type();
        };
        String reason = "pause " + ++pauses;
        scheduler.note(() -> scope + " " + value + " is paused for " + time / Scheduler.MILLISECOND + " ms");
        environment.store.pause(
                new OutboxPause(scope, value, "operator", reason, Instant.EPOCH, null), scheduler.now() + time);
    }

    /** Ends all faults. At least one relay is running. */
    void heal() {
        scheduler.note(() -> "all faults end");
        environment.heal();
        environment.store.endPauses();
        broker.heal();
        relays.heal();
    }
}

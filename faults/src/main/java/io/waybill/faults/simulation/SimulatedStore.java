package io.waybill.faults.simulation;

import io.waybill.admin.EventState;
import io.waybill.admin.OutboxPause;
import io.waybill.relay.OnDeadLetter;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The store of one relay: a connection to the model of the database that is slow, breaks and loses answers. */
final class SimulatedStore implements OutboxStore {
    private final Environment environment;
    private final RelayProcess process;
    private final InvariantChecker checker;
    private final OnDeadLetter onDeadLetter;

    SimulatedStore(Environment environment, RelayProcess process, OnDeadLetter onDeadLetter) {
        this.environment = environment;
        this.process = process;
        this.checker = environment.checker;
        this.onDeadLetter = onDeadLetter;
    }

    /** Delays the request, executes it atomically and delays its answer. Other events can happen during both delays. */
    private <T> T call(Supplier<String> what, Supplier<T> transaction) {
        process.requireAlive();
        int epoch = environment.databaseEpoch();
        environment.scheduler.sleep(environment.latency());
        if (process.cutOff() || environment.databaseEpoch() != epoch || environment.answerIsLost()) {
            environment.scheduler.note(() -> what.get() + ": database not reached");
            environment.scheduler.sleep(environment.latency());
            throw new StoreException("The database is not reachable.", null);
        }
        T answer;
        try {
            answer = transaction.get();
        } catch (StoreException | FencedException e) {
            environment.scheduler.note(() -> what.get() + ": " + e.getMessage());
            environment.scheduler.sleep(environment.latency());
            throw e;
        }
        environment.scheduler.note(() -> what.get() + ": " + brief(answer));
        environment.scheduler.sleep(environment.latency());
        if (environment.databaseEpoch() != epoch || environment.answerIsLost()) {
            environment.scheduler.note(() -> what.get() + ": answer lost");
            throw new StoreException("The answer of the database was lost.", null);
        }
        return answer;
    }

    private static String brief(Object answer) {
        if (answer instanceof List<?> list) {
            return list.stream().map(SimulatedStore::brief).toList().toString();
        }
        if (answer instanceof ClaimedEvent claimed) {
            return claimed.event().key() + "#" + claimed.position();
        }
        return answer instanceof RelayRoster roll
                ? roll.relays().size() + " relays "
                        + roll.lanes().stream()
                                .map(RelayRoster.Ownership::fence)
                                .toList()
                : answer.toString();
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        return call(() -> "heartbeat", () -> {
            environment.useClockOf(process);
            RelayRoster roll = environment.store.heartbeat(report, lease);
            environment.useClockOf(null);
            long now = environment.scheduler.now();
            for (RelayRoster.Ownership lane : roll.lanes()) {
                if (lane.owner().equals(report.name())) {
                    checker.renewed(lane.lane(), now + lane.remaining().toNanos());
                }
            }
            return roll;
        });
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return call(() -> "acquire lane " + lane, () -> {
            List<Row> held = environment.store.rows().stream()
                    .filter(row -> row.lane == lane && row.state == EventState.CLAIMED)
                    .toList();
            environment.useClockOf(process);
            Optional<Lease> won = environment.store.acquire(relay, lane, lease);
            environment.useClockOf(null);
            won.ifPresent(each -> checker.acquired(each, environment.scheduler.now() + lease.toNanos(), held));
            return won;
        });
    }

    @Override
    public void release(Lease lease) {
        call(() -> "release " + lease, () -> {
            environment.store.release(lease);
            checker.released(lease);
            return lease;
        });
    }

    @Override
    public void leave(String relay) {
        call(() -> "leave", () -> {
            environment.store.leave(relay);
            checker.left(relay);
            return "";
        });
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return call(() -> "ready " + lanes, () -> environment.store.ready(lanes));
    }

    @Override
    public boolean supportsPauses() {
        return environment.parameters.pauses();
    }

    @Override
    public List<OutboxPause> pauses() {
        return call(() -> "pauses", environment.store::pauses);
    }

    @Override
    public int wakeHeld(int lane, Collection<String> reasons, int limit) {
        return call(() -> "wake lane " + lane, () -> environment.store.wakeHeld(lane, reasons, limit));
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> turns) {
        List<LaneRequest> jittered = turns.stream()
                .map(turn -> new LaneRequest(
                        turn.lease(),
                        turn.outcomes().stream().map(this::jittered).toList(),
                        turn.limit(),
                        turn.bytes()))
                .toList();
        return call(() -> "advance " + brief(turns), () -> {
            List<List<ClaimedEvent>> claims = environment.store.advance(jittered);
            turns.stream().filter(turn -> !turn.idle()).map(LaneRequest::lease).forEach(checker::accepted);
            checker.claimed(claims);
            return claims;
        });
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        List<PublishOutcome> jittered = outcomes.stream().map(this::jittered).toList();
        call(() -> "reconcile " + lease + " " + brief(outcomes, 0), () -> {
            environment.store.reconcile(lease, jittered);
            checker.accepted(lease);
            return lease;
        });
    }

    private static String brief(List<LaneRequest> turns) {
        return turns.stream()
                .map(turn -> turn.lease() + " " + brief(turn.outcomes(), turn.limit()))
                .toList()
                .toString();
    }

    private static String brief(List<PublishOutcome> outcomes, int limit) {
        StringBuilder text = new StringBuilder();
        for (PublishOutcome outcome : outcomes) {
            text.append(outcome.getClass().getSimpleName())
                    .append(' ')
                    .append(outcome.claimed().event().key())
                    .append('#')
                    .append(outcome.claimed().position())
                    .append(", ");
        }
        return text + "claim " + limit;
    }

    /** The jitter of the relay does not depend on the seed. It is checked, then replaced by one that does. */
    private PublishOutcome jittered(PublishOutcome outcome) {
        checker.decided(outcome, onDeadLetter);
        if (!(outcome instanceof PublishOutcome.Retry retry)) {
            return outcome;
        }
        Duration nominal = checker.nominal(retry.claimed().retryCount() + (retry.counted() ? 1 : 3));
        long nanos = environment.scheduler.between(nominal.toNanos() * 4 / 5, nominal.toNanos() * 6 / 5);
        return new PublishOutcome.Retry(retry.claimed(), Duration.ofNanos(nanos), retry.error(), retry.counted());
    }

    @Override
    public int prune(Duration age, int limit) {
        return call(() -> "prune", () -> environment.store.prune(age, limit));
    }
}

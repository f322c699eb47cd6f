package io.waybill.testkit.simulation;

import io.waybill.admin.EventState;
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

/** A relay's connection to the model of the database: slow, sometimes cut, sometimes without an answer. */
final class DatabaseLink implements OutboxStore {
    private final World world;
    private final Life life;
    private final Judge judge;
    private final OnDeadLetter onDeadLetter;

    DatabaseLink(World world, Life life, OnDeadLetter onDeadLetter) {
        this.world = world;
        this.life = life;
        this.judge = world.judge;
        this.onDeadLetter = onDeadLetter;
    }

    /** The request travels, is carried out in one moment, and its answer travels back: anything can happen between. */
    private <T> T call(Supplier<String> what, Supplier<T> transaction) {
        life.requireAlive();
        int epoch = world.databaseEpoch();
        world.conductor.sleep(world.latency());
        if (life.cutOff() || world.databaseEpoch() != epoch || world.answerIsLost()) {
            world.conductor.note(() -> what.get() + ": not reached");
            world.conductor.sleep(world.latency());
            throw new StoreException("The database was not reached.", null);
        }
        T answer;
        try {
            answer = transaction.get();
        } catch (StoreException | FencedException e) {
            world.conductor.note(() -> what.get() + ": " + e.getMessage());
            world.conductor.sleep(world.latency());
            throw e;
        }
        world.conductor.note(() -> what.get() + ": " + brief(answer));
        world.conductor.sleep(world.latency());
        if (world.databaseEpoch() != epoch || world.answerIsLost()) {
            world.conductor.note(() -> what.get() + ": answer lost");
            throw new StoreException("The database's answer got lost.", null);
        }
        return answer;
    }

    private static String brief(Object answer) {
        if (answer instanceof List<?> list) {
            return list.stream().map(DatabaseLink::brief).toList().toString();
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
            world.useClockOf(life);
            RelayRoster roll = world.store.heartbeat(report, lease);
            world.useClockOf(null);
            long now = world.conductor.now();
            for (RelayRoster.Ownership lane : roll.lanes()) {
                if (lane.owner().equals(report.name())) {
                    judge.renewed(lane.lane(), now + lane.remaining().toNanos());
                }
            }
            return roll;
        });
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return call(() -> "acquire lane " + lane, () -> {
            List<Row> held = world.store.rows().stream()
                    .filter(row -> row.lane == lane && row.state == EventState.CLAIMED)
                    .toList();
            world.useClockOf(life);
            Optional<Lease> won = world.store.acquire(relay, lane, lease);
            world.useClockOf(null);
            won.ifPresent(each -> judge.acquired(each, world.conductor.now() + lease.toNanos(), held));
            return won;
        });
    }

    @Override
    public void release(Lease lease) {
        call(() -> "release " + lease, () -> {
            world.store.release(lease);
            judge.released(lease);
            return lease;
        });
    }

    @Override
    public void leave(String relay) {
        call(() -> "leave", () -> {
            world.store.leave(relay);
            judge.left(relay);
            return "";
        });
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return call(() -> "ready " + lanes, () -> world.store.ready(lanes));
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
            List<List<ClaimedEvent>> claims = world.store.advance(jittered);
            turns.stream().filter(turn -> !turn.idle()).map(LaneRequest::lease).forEach(judge::accepted);
            judge.claimed(claims);
            return claims;
        });
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        List<PublishOutcome> jittered = outcomes.stream().map(this::jittered).toList();
        call(() -> "reconcile " + lease + " " + brief(outcomes, 0), () -> {
            world.store.reconcile(lease, jittered);
            judge.accepted(lease);
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

    /** The relay's own jitter is drawn from no seed: it is checked, and replaced by one that is. */
    private PublishOutcome jittered(PublishOutcome outcome) {
        judge.decided(outcome, onDeadLetter);
        if (!(outcome instanceof PublishOutcome.Retry retry)) {
            return outcome;
        }
        Duration nominal = judge.nominal(retry.claimed().retryCount() + (retry.counted() ? 1 : 3));
        long nanos = world.conductor.between(nominal.toNanos() * 4 / 5, nominal.toNanos() * 6 / 5);
        return new PublishOutcome.Retry(retry.claimed(), Duration.ofNanos(nanos), retry.error(), retry.counted());
    }

    @Override
    public int prune(Duration age, int limit) {
        return call(() -> "prune", () -> world.store.prune(age, limit));
    }
}

package io.waybill.relay;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * The lanes that have few events at a time, worked together by one worker: one transaction settles and claims for all of them,
 * and what they claim is published as one batch. Each lane for itself would need a durable commit or two for each event.
 *
 * <p>The poller brings lanes in, the worker does the rest. A lane leaves to be worked alone when it fills its part of the batch,
 * or when it has claimed an event that has failed before, which may fail slowly, or end the relay. It leaves with its claims in
 * hand, before they are sent. The party ends when nobody has anything to do.
 *
 * <p>Only the worker touches {@code members}; one slice hands them to the next through the workers' queue. Outcomes stay here
 * until they are settled: whatever goes wrong, they are in doubt for all lanes alike.
 */
final class SharedBatch {
    /** A lane's part of the batch, when all lanes of a usual relay have come. */
    private static final int PARTS = 8;

    private static final int SMALLEST_PART = 4;

    private final OutboxStore store;
    private final RelaySettings settings;
    private final LaneKeeper keeper;
    private final LaneRunner runner;
    private final BiPredicate<Lane, List<ClaimedEvent>> alone;
    private final Map<Lane, List<PublishOutcome>> members = new LinkedHashMap<>();
    private final List<Lane> joining = new ArrayList<>();
    private boolean running;
    private boolean published;

    /** @param alone has the lane, with these claims in hand, worked alone; or says that it cannot */
    SharedBatch(
            OutboxStore store,
            RelaySettings settings,
            LaneKeeper keeper,
            LaneRunner runner,
            BiPredicate<Lane, List<ClaimedEvent>> alone) {
        this.store = store;
        this.settings = settings;
        this.keeper = keeper;
        this.runner = runner;
        this.alone = alone;
    }

    synchronized boolean running() {
        return running;
    }

    /** @return whether the party begins with this lane and needs a worker */
    synchronized boolean join(Lane lane) {
        joining.add(lane);
        boolean begins = !running;
        running = true;
        return begins;
    }

    private synchronized void takeIn() {
        joining.forEach(lane -> members.put(lane, List.of()));
        joining.clear();
    }

    private synchronized boolean somebodyJoins() {
        return !joining.isEmpty();
    }

    /** @return whether there may be more to do */
    boolean runSlice() {
        long until = settings.ticker().nanos() + LaneRunner.SLICE_NANOS;
        try {
            while (true) {
                boolean slice = settings.ticker().nanos() - until < 0;
                if (slice) {
                    takeIn();
                }
                Map<Lane, List<ClaimedEvent>> claims = advance(slice ? part() : 0);
                if (!slice) {
                    return !members.isEmpty() || somebodyJoins();
                }
                if (!claims.isEmpty()) {
                    publish(claims);
                } else if (!somebodyJoins()) {
                    return false;
                }
            }
        } catch (FencedException e) {
            members.forEach((lane, outcomes) -> {
                if (lane.lease().equals(e.lease())) {
                    runner.fenced(lane);
                } else {
                    lane.doubt(outcomes);
                }
            });
        } catch (RuntimeException e) {
            members.forEach(Lane::doubt);
            runner.database().raise(e);
        } catch (Error e) {
            members.forEach(Lane::doubt);
            throw e;
        }
        return false;
    }

    /**
     * Settles what was sent and claims the next.
     *
     * @return what is to be published together
     */
    private Map<Lane, List<ClaimedEvent>> advance(int part) {
        List<Lane> lanes = List.copyOf(members.keySet());
        List<LaneRequest> turns = new ArrayList<>(lanes.size());
        List<Lane> leaving = new ArrayList<>();
        long bytes = Math.max(1, settings.claimBytes() / Math.max(1, lanes.size()));
        members.forEach((lane, outcomes) -> {
            boolean stays = lane.sociable() && runner.mayGoOn(lane);
            turns.add(new LaneRequest(lane.lease(), outcomes, stays ? part : 0, bytes));
            if (!stays) {
                leaving.add(lane);
            }
        });
        List<List<ClaimedEvent>> claims = store.advance(turns);
        members.replaceAll((lane, settled) -> List.of());
        runner.database().clear();
        letGo(leaving);
        Map<Lane, List<ClaimedEvent>> together = new LinkedHashMap<>();
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            List<ClaimedEvent> own = claims.get(i);
            if (goesAlone(own, part) && alone.test(lane, own)) {
                members.remove(lane);
            } else if (!own.isEmpty()) {
                together.put(lane, own);
            }
        }
        return together;
    }

    private static boolean goesAlone(List<ClaimedEvent> claims, int part) {
        return !claims.isEmpty()
                && (claims.size() >= part
                        || claims.stream().anyMatch(claimed -> claimed.retried() || claimed.retryCount() > 0));
    }

    private void publish(Map<Lane, List<ClaimedEvent>> claims) {
        Batch batch = runner.batch();
        Map<Lane, List<PublishOutcome>> sent = new LinkedHashMap<>();
        claims.forEach((lane, own) -> sent.put(lane, batch.add(own, () -> runner.mayGoOn(lane))));
        runner.publish(batch);
        published = true;
        members.putAll(sent);
        sent.forEach(runner::note);
    }

    /**
     * Lets all lanes go, whatever has ended the worker: a lane that stays busy is worked by nobody.
     *
     * @return whether anything was published since the party began
     */
    boolean end() {
        List<Lane> all;
        boolean worked;
        synchronized (this) { // the next party may begin at once: nothing of it may be let go with this one
            takeIn();
            all = List.copyOf(members.keySet());
            members.clear();
            worked = published;
            published = false;
            running = false;
        }
        finish(all.iterator());
        return worked;
    }

    private void letGo(List<Lane> lanes) {
        lanes.forEach(members::remove);
        finish(lanes.iterator());
    }

    /** Every one, even if one of them fails. */
    private void finish(Iterator<Lane> lanes) {
        if (lanes.hasNext()) {
            try {
                keeper.finished(lanes.next());
            } finally {
                finish(lanes);
            }
        }
    }

    private int part() {
        return Math.min(settings.batchSize(), Math.max(SMALLEST_PART, settings.batchSize() / PARTS));
    }
}

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
 * One worker serves all lanes that have few events at a time: one transaction settles and claims for all of them, and their events
 * are published as one batch. Serving each lane separately would cost one or two durable commits per event.
 *
 * <p>The poller adds lanes; the worker does everything else. A lane leaves the shared batch and runs alone if it fills its part of
 * the batch, or if it claims an event that has failed before, because such an event may fail slowly or crash the relay. The lane
 * leaves with its claimed events before they are sent. The shared batch ends when no lane has an event.
 *
 * <p>Only the worker accesses {@code members}; the queue of the workers passes them from one time slice to the next. Outcomes stay
 * here until they are settled: after any failure they are in doubt for all lanes.
 */
final class SharedBatch {
    /** A lane may claim this fraction of the batch size: 1/8, enough for all lanes of a typical relay together. */
    private static final int PARTS = 8;

    private static final int SMALLEST_PART = 4;

    private final OutboxStore store;
    private final RelaySettings settings;
    private final LaneCoordinator coordinator;
    private final LaneRunner runner;
    private final BiPredicate<Lane, List<ClaimedEvent>> runAlone;
    private final Map<Lane, List<PublishOutcome>> members = new LinkedHashMap<>();
    private final List<Lane> joining = new ArrayList<>();
    private boolean running;
    private boolean published;

    /** @param runAlone starts to serve a lane alone, beginning with these claims; returns false if the relay is being closed */
    SharedBatch(
            OutboxStore store,
            RelaySettings settings,
            LaneCoordinator coordinator,
            LaneRunner runner,
            BiPredicate<Lane, List<ClaimedEvent>> runAlone) {
        this.store = store;
        this.settings = settings;
        this.coordinator = coordinator;
        this.runner = runner;
        this.runAlone = runAlone;
    }

    synchronized boolean running() {
        return running;
    }

    /** @return whether this lane starts a new shared batch, which needs a worker */
    synchronized boolean join(Lane lane) {
        joining.add(lane);
        boolean begins = !running;
        running = true;
        return begins;
    }

    private synchronized void admitJoiningLanes() {
        joining.forEach(lane -> members.put(lane, List.of()));
        joining.clear();
    }

    private synchronized boolean hasJoiningLanes() {
        return !joining.isEmpty();
    }

    /** @return whether the lanes may have more events */
    boolean runSlice() {
        long until = settings.ticker().nanos() + LaneRunner.SLICE_NANOS;
        try {
            while (true) {
                boolean slice = settings.ticker().nanos() - until < 0;
                if (slice) {
                    admitJoiningLanes();
                }
                Map<Lane, List<ClaimedEvent>> claims = advance(slice ? part() : 0);
                if (!slice) {
                    return !members.isEmpty() || hasJoiningLanes();
                }
                if (!claims.isEmpty()) {
                    publish(claims);
                } else if (!hasJoiningLanes()) {
                    return false;
                }
            }
        } catch (FencedException e) {
            members.forEach((lane, outcomes) -> {
                if (lane.lease().equals(e.lease())) {
                    runner.fenced(lane);
                } else {
                    lane.markInDoubt(outcomes);
                }
            });
        } catch (RuntimeException e) {
            members.forEach(Lane::markInDoubt);
            runner.outages().raise(e);
        } catch (Error e) {
            members.forEach(Lane::markInDoubt);
            throw e;
        }
        return false;
    }

    /**
     * Settles the outcomes of the last batch and claims the next events.
     *
     * @return the events to publish together, by lane
     */
    private Map<Lane, List<ClaimedEvent>> advance(int part) {
        List<Lane> lanes = List.copyOf(members.keySet());
        List<LaneRequest> requests = new ArrayList<>(lanes.size());
        List<Lane> leaving = new ArrayList<>();
        long bytes = Math.max(1, settings.claimBytes() / Math.max(1, lanes.size()));
        members.forEach((lane, outcomes) -> {
            boolean stays = lane.canShareBatch() && runner.canSend(lane);
            requests.add(new LaneRequest(lane.lease(), outcomes, stays ? part : 0, bytes));
            if (!stays) {
                leaving.add(lane);
            }
        });
        List<List<ClaimedEvent>> claims = store.advance(requests);
        members.values().forEach(runner::settled);
        members.replaceAll((lane, settled) -> List.of());
        runner.outages().clear();
        removeLanes(leaving);
        Map<Lane, List<ClaimedEvent>> together = new LinkedHashMap<>();
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            List<ClaimedEvent> own = claims.get(i);
            if (mustRunAlone(own, part) && runAlone.test(lane, own)) {
                members.remove(lane);
            } else if (!own.isEmpty()) {
                together.put(lane, own);
            }
        }
        return together;
    }

    private static boolean mustRunAlone(List<ClaimedEvent> claims, int part) {
        return !claims.isEmpty()
                && (claims.size() >= part
                        || claims.stream().anyMatch(claimed -> claimed.retried() || claimed.retryCount() > 0));
    }

    private void publish(Map<Lane, List<ClaimedEvent>> claims) {
        Batch batch = runner.batch();
        Map<Lane, List<PublishOutcome>> sent = new LinkedHashMap<>();
        claims.forEach((lane, own) -> sent.put(lane, batch.add(own, () -> runner.canSend(lane))));
        runner.publish(batch);
        published = true;
        members.putAll(sent);
        sent.forEach(runner::recordOutcomes);
    }

    /**
     * Returns all lanes to the coordinator, even after an error: a lane that stays marked as busy would never be served again.
     *
     * @return whether the shared batch has published events since it began
     */
    boolean end() {
        List<Lane> all;
        boolean worked;
        // The next shared batch may begin as soon as running is false; its lanes must not be returned with these.
        synchronized (this) {
            admitJoiningLanes();
            all = List.copyOf(members.keySet());
            members.clear();
            worked = published;
            published = false;
            running = false;
        }
        finish(all.iterator());
        return worked;
    }

    private void removeLanes(List<Lane> lanes) {
        lanes.forEach(members::remove);
        finish(lanes.iterator());
    }

    /** Returns every lane, even if returning one of them fails. */
    private void finish(Iterator<Lane> lanes) {
        if (lanes.hasNext()) {
            try {
                coordinator.finished(lanes.next());
            } finally {
                finish(lanes);
            }
        }
    }

    private int part() {
        return Math.min(settings.batchSize(), Math.max(SMALLEST_PART, settings.batchSize() / PARTS));
    }
}

package io.waybill.relay;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Transport;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Serves a lane in a loop: settles, claims and publishes until the lane is empty, released, lost or in doubt. */
final class LaneRunner {
    /** How long a lane may use a worker while other lanes are queued. */
    static final long SLICE_NANOS = 200_000_000L;

    private final OutboxStore store;
    private final Transport transport;
    private final RelaySettings settings;
    private final PublishCounter counter;
    private final CircuitBreaker breaker;
    private final LaneCoordinator coordinator;
    private final PauseWatch pauses;
    private final BooleanSupplier stopping;
    private final OutageLog outages;
    private final DeadLetterLog deadLetters;
    private final Destinations destinations;

    LaneRunner(
            OutboxStore store,
            Transport transport,
            RelaySettings settings,
            PublishCounter counter,
            CircuitBreaker breaker,
            LaneCoordinator coordinator,
            PauseWatch pauses,
            BooleanSupplier stopping) {
        this.store = store;
        this.transport = transport;
        this.settings = settings;
        this.counter = counter;
        this.breaker = breaker;
        this.coordinator = coordinator;
        this.pauses = pauses;
        this.stopping = stopping;
        this.destinations = new Destinations(settings.retry(), settings.ticker());
        this.deadLetters = new DeadLetterLog(settings.ticker());
        this.outages = new OutageLog("Relay " + settings.name() + " cannot settle or claim");
    }

    void runUntilEmpty(Lane lane) {
        run(lane, List.of(), Long.MAX_VALUE);
    }

    /**
     * @param claims events of the lane that are claimed and not sent yet
     * @return whether the lane may have more events
     */
    boolean runSlice(Lane lane, List<ClaimedEvent> claims) {
        return run(lane, claims, settings.ticker().nanos() + SLICE_NANOS);
    }

    private boolean run(Lane lane, List<ClaimedEvent> unsent, long until) {
        List<PublishOutcome> outcomes = lane.unsettled();
        List<ClaimedEvent> claims = unsent;
        try {
            if (lane.inDoubt()) {
                store.reconcile(lane.lease(), outcomes);
                lane.settled();
                pauses.settled(outcomes);
                outcomes = List.of();
            }
            while (true) {
                if (!claims.isEmpty()) {
                    Batch batch = batch();
                    List<PublishOutcome> sent = batch.add(claims, () -> canSend(lane));
                    publish(batch);
                    outcomes = sent;
                    recordOutcomes(lane, outcomes);
                }
                boolean slice = until == Long.MAX_VALUE || settings.ticker().nanos() - until < 0;
                boolean more = canSend(lane);
                claims = store.advance(List.of(new LaneRequest(
                                lane.lease(),
                                outcomes,
                                more && slice ? settings.batchSize() : 0,
                                settings.claimBytes())))
                        .get(0);
                pauses.settled(outcomes);
                outcomes = List.of();
                outages.clear();
                if (claims.isEmpty()) {
                    if (more && slice) {
                        lane.markDrained();
                    }
                    return more && !slice;
                }
            }
        } catch (FencedException e) {
            fenced(lane);
        } catch (RuntimeException e) {
            lane.markInDoubt(outcomes);
            outages.raise(e);
        } catch (Error e) {
            lane.markInDoubt(outcomes);
            throw e;
        }
        return false;
    }

    Batch batch() {
        return new Batch(transport, settings, breaker, destinations, pauses.current());
    }

    void publish(Batch batch) {
        settings.listener().batch(batch.size());
        batch.publish();
    }

    void fenced(Lane lane) {
        settings.listener().fenceRejected(lane.lease());
        coordinator.lost(lane);
    }

    /** Called after the outcomes of a shared batch were settled. */
    void settled(List<PublishOutcome> outcomes) {
        pauses.settled(outcomes);
    }

    OutageLog outages() {
        return outages;
    }

    void recordOutcomes(Lane lane, List<PublishOutcome> outcomes) {
        int published = 0;
        for (PublishOutcome outcome : outcomes) {
            if (outcome instanceof PublishOutcome.Published) {
                published++;
            } else if (outcome instanceof PublishOutcome.Retry retry) {
                if (!PauseWatch.isHeld(retry)) {
                    lane.eventFailed();
                }
            } else if (outcome instanceof PublishOutcome.Dead dead) {
                lane.eventFailed();
                deadLetters.add(dead.claimed().event(), dead.error());
            }
        }
        counter.published(published);
    }

    boolean canSend(Lane lane) {
        return !stopping.getAsBoolean()
                && !lane.releaseRequested()
                && lane.leaseValid()
                && !breaker.isOpen()
                && !pauses.stopsRelay();
    }
}

package io.waybill.relay;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Transport;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Works a lane: settle and claim, publish, again, until the lane is empty, given up, lost, or in trouble. */
final class LaneRunner {
    /** How long a lane may keep its worker while others wait. */
    static final long SLICE_NANOS = 200_000_000L;

    private final OutboxStore store;
    private final Transport transport;
    private final RelaySettings settings;
    private final PublishCounter progress;
    private final CircuitBreaker breaker;
    private final LaneKeeper keeper;
    private final BooleanSupplier stopping;
    private final OutageLog database;
    private final DeadLetterLog deadLetters;
    private final Destinations destinations;

    LaneRunner(
            OutboxStore store,
            Transport transport,
            RelaySettings settings,
            PublishCounter progress,
            CircuitBreaker breaker,
            LaneKeeper keeper,
            BooleanSupplier stopping) {
        this.store = store;
        this.transport = transport;
        this.settings = settings;
        this.progress = progress;
        this.breaker = breaker;
        this.keeper = keeper;
        this.stopping = stopping;
        this.destinations = new Destinations(settings.retry(), settings.ticker());
        this.deadLetters = new DeadLetterLog(settings.ticker());
        this.database = new OutageLog("Relay " + settings.name() + " cannot settle or claim");
    }

    void runUntilEmpty(Lane lane) {
        run(lane, List.of(), Long.MAX_VALUE);
    }

    /**
     * @param claims what was claimed of the lane and not sent yet
     * @return whether there may be more to do
     */
    boolean runSlice(Lane lane, List<ClaimedEvent> claims) {
        return run(lane, claims, settings.ticker().nanos() + SLICE_NANOS);
    }

    private boolean run(Lane lane, List<ClaimedEvent> inHand, long until) {
        List<PublishOutcome> outcomes = lane.unsettled();
        List<ClaimedEvent> claims = inHand;
        try {
            if (lane.inDoubt()) {
                store.reconcile(lane.lease(), outcomes);
                lane.settled();
                outcomes = List.of();
            }
            while (true) {
                if (!claims.isEmpty()) {
                    Batch batch = batch();
                    List<PublishOutcome> sent = batch.add(claims, () -> mayGoOn(lane));
                    publish(batch);
                    outcomes = sent;
                    note(lane, outcomes);
                }
                boolean slice = until == Long.MAX_VALUE || settings.ticker().nanos() - until < 0;
                boolean goOn = mayGoOn(lane);
                claims = store.advance(List.of(new LaneRequest(
                                lane.lease(),
                                outcomes,
                                goOn && slice ? settings.batchSize() : 0,
                                settings.claimBytes())))
                        .get(0);
                outcomes = List.of();
                database.clear();
                if (claims.isEmpty()) {
                    if (goOn && slice) {
                        lane.proven();
                    }
                    return goOn && !slice;
                }
            }
        } catch (FencedException e) {
            fenced(lane);
        } catch (RuntimeException e) {
            lane.doubt(outcomes);
            database.raise(e);
        } catch (Error e) {
            lane.doubt(outcomes);
            throw e;
        }
        return false;
    }

    Batch batch() {
        return new Batch(transport, settings, breaker, destinations);
    }

    void publish(Batch batch) {
        settings.listener().batch(batch.size());
        batch.publish();
    }

    void fenced(Lane lane) {
        settings.listener().fenceRejected(lane.lease());
        keeper.lost(lane);
    }

    OutageLog database() {
        return database;
    }

    void note(Lane lane, List<PublishOutcome> outcomes) {
        int published = 0;
        for (PublishOutcome outcome : outcomes) {
            if (outcome instanceof PublishOutcome.Published) {
                published++;
            } else if (outcome instanceof PublishOutcome.Retry) {
                lane.eventFailed();
            } else if (outcome instanceof PublishOutcome.Dead dead) {
                lane.eventFailed();
                deadLetters.add(dead.claimed().event(), dead.error());
            }
        }
        progress.published(published);
    }

    boolean mayGoOn(Lane lane) {
        return !stopping.getAsBoolean() && !lane.surrendered() && lane.fresh() && !breaker.isOpen();
    }
}

package io.waybill.relay;

import io.waybill.retry.RetryPolicy;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The events of one key in a batch: those not sent yet, and those in flight. */
final class KeyPipeline {
    /** Why no further event of the key is sent in this batch. */
    enum Stop {
        /** An event is retried later or blocks its key: the events behind it are parked. */
        PARK,
        /** An event became a dead letter: the events behind it are released, and are sent after the dead letter is recorded. */
        RELEASE,
        /**
         * A send failed in a way that suggests an outage. When no event is in flight any more, a probe of the broker shows
         * whether the whole broker is down or only a part of it.
         */
        OUTAGE
    }

    private final BooleanSupplier laneCanSend;
    private final List<PublishOutcome> outcomes;
    private final Deque<ClaimedEvent> unsent = new ArrayDeque<>(2);
    private final Deque<ClaimedEvent> inFlight = new ArrayDeque<>(2);
    private final List<ClaimedEvent> returned = new ArrayList<>(0);
    private List<ClaimedEvent> group = List.of();
    private boolean oneAtATime;
    private @Nullable Stop stop;
    private @Nullable ClaimedEvent suspect;
    private String reason = "";

    /** @param outcomes receives the outcomes of the events; shared by all keys of the lane */
    KeyPipeline(BooleanSupplier laneCanSend, List<PublishOutcome> outcomes) {
        this.laneCanSend = laneCanSend;
        this.outcomes = outcomes;
    }

    void addOutcome(PublishOutcome outcome) {
        outcomes.add(outcome);
    }

    void add(ClaimedEvent claimed) {
        unsent.add(claimed);
    }

    ClaimedEvent remove() {
        return unsent.remove();
    }

    boolean canSend() {
        if (!inFlight.isEmpty() || stop != null) {
            return false;
        }
        requeueReturned();
        return !unsent.isEmpty() && laneCanSend.getAsBoolean();
    }

    /** Returns the events to send now. The group is kept, because its results can arrive in any order. */
    List<ClaimedEvent> next() {
        group = nextGroup();
        return group;
    }

    /** An event that has failed before is sent alone, so that its failure affects no other event. */
    private List<ClaimedEvent> nextGroup() {
        if (oneAtATime || unsent.size() == 1 || unsent.element().retryCount() > 0) {
            return List.of(unsent.element());
        }
        String partition = unsent.element().event().partitionKey();
        List<ClaimedEvent> next = new ArrayList<>(unsent.size());
        for (ClaimedEvent claimed : unsent) {
            // Messages of different partitions are not kept in order by the broker.
            if (claimed.retryCount() > 0 || !claimed.event().partitionKey().equals(partition)) {
                break;
            }
            next.add(claimed);
        }
        return next;
    }

    void sending(int count) {
        for (int i = 0; i < count; i++) {
            inFlight.add(unsent.remove());
        }
    }

    /**
     * Moves the last {@code count} events in flight back to the unsent ones: the transport did not accept them.
     *
     * @return {@code count}
     */
    int requeueLast(int count) {
        for (int i = 0; i < count; i++) {
            unsent.addFirst(inFlight.removeLast());
        }
        return count;
    }

    /**
     * Whether every event sent before this one was acknowledged. Results arrive in any order, so a failure may be reported while
     * earlier events are still in flight. Such a failure must not decide the outcome of this event: if the event were scheduled
     * for a retry, an earlier event that also has to be sent again would be parked behind it, out of order.
     */
    boolean isFirstInFlight(ClaimedEvent claimed) {
        return returned.isEmpty() && claimed.equals(inFlight.peek());
    }

    /** @return whether the event was in flight; false for a late result */
    boolean completed(ClaimedEvent claimed) {
        return inFlight.remove(claimed);
    }

    /**
     * The event was not delivered, but the event itself is not known to be the cause. It is sent alone after the results of all
     * other events are known.
     */
    void resendAlone(ClaimedEvent claimed) {
        returned.add(claimed);
        oneAtATime = true;
    }

    boolean stopped() {
        return stop != null;
    }

    void stop(Stop why) {
        stop = why;
    }

    void stopForOutage(ClaimedEvent claimed, String why) {
        stop = Stop.OUTAGE;
        suspect = claimed;
        reason = why;
    }

    /** Restores the original order, because results arrive in any order. */
    private void requeueReturned() {
        if (returned.size() > 1) {
            returned.sort(Comparator.comparingInt(group::indexOf));
        }
        for (int i = returned.size() - 1; i >= 0; i--) {
            unsent.addFirst(returned.get(i));
        }
        returned.clear();
    }

    /**
     * Adds the outcomes of all events that were not published. If the broker is down, events are released unchanged. If it
     * answers, only some topic or partition is down: those keys are retried later without counting an attempt, and other keys
     * continue.
     */
    void settleRemaining(boolean brokerIsDown, RetryPolicy retry) {
        requeueReturned();
        if (suspect != null && brokerIsDown) {
            outcomes.add(new PublishOutcome.Released(suspect));
        } else if (suspect != null) {
            outcomes.add(new PublishOutcome.Retry(suspect, retry.delay(suspect.retryCount() + 3), reason, false));
        }
        boolean park = stop == Stop.PARK || (stop == Stop.OUTAGE && !brokerIsDown);
        for (ClaimedEvent claimed : unsent) {
            outcomes.add(park ? new PublishOutcome.Parked(claimed) : new PublishOutcome.Released(claimed));
        }
    }

    /** The transport reported no result for the events in flight. */
    void timeOut(String why) {
        if (inFlight.isEmpty()) {
            return;
        }
        returned.addAll(inFlight);
        inFlight.clear();
        if (stop == null) {
            returned.sort(Comparator.comparingInt(group::indexOf));
            stopForOutage(returned.remove(0), why);
        }
    }
}

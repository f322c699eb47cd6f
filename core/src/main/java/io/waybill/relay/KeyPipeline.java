package io.waybill.relay;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The events of one key in a batch: those still to be sent, and those on their way. */
final class KeyPipeline {
    /** Why nothing more of the key is sent in this batch. */
    enum Stop {
        /** The rest waits behind an event that is tried again later, or that blocks its key. */
        PARK,
        /** The rest goes on when the dead letter before it is recorded. */
        RELEASE,
        /** Whether the broker is out or only this part of it is asked when nothing is on its way any more. */
        OUTAGE
    }

    private final BooleanSupplier laneMayGoOn;
    private final List<PublishOutcome> outcomes;
    private final Deque<ClaimedEvent> waiting = new ArrayDeque<>(2);
    private final Deque<ClaimedEvent> onTheirWay = new ArrayDeque<>(2);
    private final List<ClaimedEvent> back = new ArrayList<>(0);
    private List<ClaimedEvent> together = List.of();
    private boolean oneByOne;
    private @Nullable Stop stop;
    private @Nullable ClaimedEvent suspect;
    private String reason = "";

    /** @param outcomes of the lane, to be added to */
    KeyPipeline(BooleanSupplier laneMayGoOn, List<PublishOutcome> outcomes) {
        this.laneMayGoOn = laneMayGoOn;
        this.outcomes = outcomes;
    }

    void became(PublishOutcome outcome) {
        outcomes.add(outcome);
    }

    void add(ClaimedEvent claimed) {
        waiting.add(claimed);
    }

    ClaimedEvent remove() {
        return waiting.remove();
    }

    boolean mayGoOn() {
        if (!onTheirWay.isEmpty() || stop != null) {
            return false;
        }
        takeBack();
        return !waiting.isEmpty() && laneMayGoOn.getAsBoolean();
    }

    /** What may be sent together; remembered, because what comes back of it may come in any order. */
    List<ClaimedEvent> next() {
        together = mayGoTogether();
        return together;
    }

    /** An event that has failed before goes alone, so that it can fail without company. */
    private List<ClaimedEvent> mayGoTogether() {
        if (oneByOne || waiting.size() == 1 || waiting.element().retryCount() > 0) {
            return List.of(waiting.element());
        }
        List<ClaimedEvent> next = new ArrayList<>(waiting.size());
        for (ClaimedEvent claimed : waiting) {
            if (claimed.retryCount() > 0) {
                break;
            }
            next.add(claimed);
        }
        return next;
    }

    void sending(int count) {
        for (int i = 0; i < count; i++) {
            onTheirWay.add(waiting.remove());
        }
    }

    /** @return {@code count}, the last of what was sending */
    int notTaken(int count) {
        for (int i = 0; i < count; i++) {
            waiting.addFirst(onTheirWay.removeLast());
        }
        return count;
    }

    /**
     * Whether all that were sent before it are through. Results come in any order, and until then a failure says nothing about
     * the event: if it stepped aside, one before it that comes back would be held back behind it.
     */
    boolean leads(ClaimedEvent claimed) {
        return back.isEmpty() && claimed.equals(onTheirWay.peek());
    }

    /** @return whether the event was on its way until now */
    boolean arrived(ClaimedEvent claimed) {
        return onTheirWay.remove(claimed);
    }

    /** The event did not get through, which says nothing about it: once all others have arrived it is sent on its own. */
    void sendAgain(ClaimedEvent claimed) {
        back.add(claimed);
        oneByOne = true;
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

    /** Whatever the order in which they came back. */
    private void takeBack() {
        if (back.size() > 1) {
            back.sort(Comparator.comparingInt(together::indexOf));
        }
        for (int i = back.size() - 1; i >= 0; i--) {
            waiting.addFirst(back.get(i));
        }
        back.clear();
    }

    /**
     * Says what becomes of the rest. When the broker is really out, events go back as they were. When it answers, only some
     * topic or partition is out: those keys step aside, uncounted, and the others go on.
     */
    void end(boolean brokerIsOut, RetryPolicy retry) {
        takeBack();
        if (suspect != null && brokerIsOut) {
            outcomes.add(new PublishOutcome.Released(suspect));
        } else if (suspect != null) {
            outcomes.add(new PublishOutcome.Retry(suspect, retry.delay(suspect.retryCount() + 3), reason, false));
        }
        boolean park = stop == Stop.PARK || (stop == Stop.OUTAGE && !brokerIsOut);
        for (ClaimedEvent claimed : waiting) {
            outcomes.add(park ? new PublishOutcome.Parked(claimed) : new PublishOutcome.Released(claimed));
        }
    }

    /** The transport never told what became of these. */
    void giveUpWaiting(String why) {
        if (onTheirWay.isEmpty()) {
            return;
        }
        back.addAll(onTheirWay);
        onTheirWay.clear();
        if (stop == null) {
            back.sort(Comparator.comparingInt(together::indexOf));
            stopForOutage(back.remove(0), why);
        }
    }
}

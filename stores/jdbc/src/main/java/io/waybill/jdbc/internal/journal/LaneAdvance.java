package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.event.ParkedChunk;
import io.waybill.jdbc.internal.event.Payloads;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of one lane in a transaction. It settles, claims due retries, and then reads pages and opens a window until it
 * finds an event to claim or reaches the end. After parking {@link ParkedChunk#MAX_PER_TRANSACTION} events it
 * stops; the next transaction continues.
 */
final class LaneAdvance {
    private final LaneRequest request;
    private final LockedCursor locked;
    private final List<ClaimedEvent> claims = new ArrayList<>();
    private Cursor cursor;
    private boolean retryMayBeDue;
    private boolean needsPage;
    private boolean openedWindow;
    private boolean idle;
    private int parked;

    LaneAdvance(LaneRequest request, LockedCursor locked) {
        this.request = request;
        this.locked = locked;
        this.cursor = locked.cursor();
    }

    void settle(Connection connection) throws SQLException {
        cursor = CursorSettlement.settle(connection, locked.cursor(), request.outcomes())
                .withClaimed(null);
        retryMayBeDue = locked.retryDue() || request.outcomes().stream().anyMatch(LaneAdvance::mayMakeDue);
        boolean suspects = retryMayBeDue
                && request.limit() > 0
                && OutboxHeldTable.claimDue(
                        connection,
                        request.lease(),
                        locked.leaseUntil(),
                        Math.max(1, request.limit() / 2),
                        request.bytes() / 2,
                        claims);
        // An event that may have crashed a relay is sent alone, or with events that were in flight in the same crash.
        boolean apart = suspects || (cursor.isSuspect() && !claims.isEmpty());
        needsPage = request.limit() > claims.size() && bytesLeft() > 0 && !apart;
        idle = claims.isEmpty() && cursor.equals(locked.cursor()) && cursor.open() == null;
    }

    /** A finished retry releases the parked events of its key; an event released in the middle of a page is due at once. */
    private static boolean mayMakeDue(PublishOutcome outcome) {
        return outcome.claimed().retried() || !(outcome instanceof PublishOutcome.Published);
    }

    private long bytesLeft() {
        long left = request.bytes();
        for (ClaimedEvent claimed : claims) {
            left -= claimed.event().payload().length();
        }
        return left;
    }

    boolean needsPage() {
        return needsPage;
    }

    boolean needsWindow() {
        return needsPage && cursor.open() == null;
    }

    void open(Cursor.@Nullable NewWindow window) {
        if (window == null) {
            needsPage = false;
        } else {
            cursor = cursor.opened(window, locked.sequence());
            openedWindow = true;
        }
    }

    /** Whether the page that was read together with the snapshot, with this limit, is the next page of the lane. */
    boolean canUseFirstPage(int limit) {
        return needsPage && openedWindow && !retryMayBeDue && pageSize() == limit;
    }

    int pageSize() {
        int capacity = request.limit() - claims.size();
        return cursor.isSuspect() ? Math.max(1, capacity >> (3 * Math.min(cursor.crashes(), 10))) : capacity;
    }

    /** Parks the held events of the page and claims the free ones, or moves the cursor past the page if there are none. */
    void accept(Connection connection, WindowPage page) throws SQLException {
        if (!page.held().isEmpty()) {
            OutboxHeldTable.park(connection, page.held());
            parked += page.held().size();
        }
        Long last = page.last();
        idle &= last == null;
        List<ClaimedEvent> free = Payloads.fill(Sql.on(connection), page.free(), bytesLeft());
        if (!free.isEmpty() && last != null) {
            boolean truncated = free.size() < page.free().size();
            Long upTo = truncated ? Long.valueOf(free.get(free.size() - 1).position()) : last;
            claims.addAll(free);
            claims.sort(Comparator.comparingLong(ClaimedEvent::position)); // retries may belong in between
            cursor = cursor.withClaimed(page.complete() && !truncated ? Long.valueOf(cursor.openEnd()) : upTo);
            needsPage = false;
        } else {
            cursor = page.complete() || last == null ? cursor.closed() : cursor.settledUpTo(last);
            // Only one window per transaction: a second one would need the sequence to be read before its snapshot.
            needsPage = (cursor.open() != null || !openedWindow) && parked < ParkedChunk.MAX_PER_TRANSACTION;
        }
    }

    Lease lease() {
        return request.lease();
    }

    Cursor cursor() {
        return cursor;
    }

    /** Whether the lane had no outcomes, retries or events, so that only the snapshot of its cursor has changed. */
    boolean idle() {
        return idle;
    }

    boolean isFarBehind() {
        return locked.cursor().isFarBehind(cursor);
    }

    boolean changed() {
        return cursor.claimed() != null || !cursor.equals(locked.cursor());
    }

    /** @param written the mark with which the cursor was written; null if it was not written */
    ClaimMarks.Claim claim(@Nullable Long written) {
        return new ClaimMarks.Claim(written == null ? locked.mark() : written, claims);
    }
}

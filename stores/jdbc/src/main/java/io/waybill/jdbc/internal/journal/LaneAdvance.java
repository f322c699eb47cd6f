package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.event.Payloads;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.queue.ParkedEvents;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One lane's part of a transaction: settles, claims what is due, then takes pages, and opens a window, until there is something
 * to claim or nothing more to see. After parking very many it leaves the rest to the next transaction.
 */
final class LaneAdvance {
    private final LaneRequest turn;
    private final TransactionStart.Found found;
    private final List<ClaimedEvent> claims = new ArrayList<>();
    private Cursor cursor;
    private boolean due;
    private boolean looking;
    private boolean fresh;
    private boolean quiet;
    private int parked;

    LaneAdvance(LaneRequest turn, TransactionStart.Found found) {
        this.turn = turn;
        this.found = found;
        this.cursor = found.cursor();
    }

    void settle(Connection connection) throws SQLException {
        cursor = Settlement.settle(connection, found.cursor(), turn.outcomes()).withClaimed(null);
        due = found.due() || turn.outcomes().stream().anyMatch(LaneAdvance::mayMakeDue);
        boolean suspects = due
                && turn.limit() > 0
                && HeldTable.claimDue(
                        connection,
                        turn.lease(),
                        found.leaseUntil(),
                        Math.max(1, turn.limit() / 2),
                        turn.bytes() / 2,
                        claims);
        // What may have ended its relay keeps no company that did not share its fate.
        boolean apart = suspects || (cursor.suspicious() && !claims.isEmpty());
        looking = turn.limit() > claims.size() && bytesLeft() > 0 && !apart;
        quiet = claims.isEmpty() && cursor.equals(found.cursor()) && cursor.open() == null;
    }

    /** A retry that is done frees its key; what was released in the middle of a page is due at once. */
    private static boolean mayMakeDue(PublishOutcome outcome) {
        return outcome.claimed().retried() || !(outcome instanceof PublishOutcome.Published);
    }

    private long bytesLeft() {
        long left = turn.bytes();
        for (ClaimedEvent claimed : claims) {
            left -= claimed.event().payload().length();
        }
        return left;
    }

    boolean looking() {
        return looking;
    }

    boolean wantsWindow() {
        return looking && cursor.open() == null;
    }

    void open(Cursor.@Nullable View view) {
        if (view == null) {
            looking = false;
        } else {
            cursor = cursor.opened(view, found.sequence());
            fresh = true;
        }
    }

    /** Whether the page that came along with the snapshot, of so many events, is the one to read next. */
    boolean mayBeginWith(int limit) {
        return looking && fresh && !due && pageSize() == limit;
    }

    int pageSize() {
        int room = turn.limit() - claims.size();
        return cursor.suspicious() ? Math.max(1, room >> (3 * Math.min(cursor.crashes(), 10))) : room;
    }

    void take(Connection connection, WindowPage page) throws SQLException {
        if (!page.held().isEmpty()) {
            HeldTable.park(connection, page.held());
            parked += page.held().size();
        }
        Long last = page.last();
        quiet &= last == null;
        List<ClaimedEvent> free = Payloads.fill(Sql.on(connection), page.free(), bytesLeft());
        if (!free.isEmpty() && last != null) {
            boolean cut = free.size() < page.free().size();
            Long upTo = cut ? Long.valueOf(free.get(free.size() - 1).position()) : last;
            claims.addAll(free);
            claims.sort(Comparator.comparingLong(ClaimedEvent::position)); // for the retries among them
            cursor = cursor.withClaimed(page.complete() && !cut ? Long.valueOf(cursor.openEnd()) : upTo);
            looking = false;
        } else {
            cursor = page.complete() || last == null ? cursor.closed() : cursor.settledUpTo(last);
            // one window in a transaction: the next would need a sequence number read before it
            looking = (cursor.open() != null || !fresh) && parked < ParkedEvents.MOST;
        }
    }

    LaneRequest turn() {
        return turn;
    }

    Cursor cursor() {
        return cursor;
    }

    /** Whether there was nothing to settle, and nothing to see but that time has passed. */
    boolean quiet() {
        return quiet;
    }

    boolean farBehind() {
        return found.cursor().farBehind(cursor);
    }

    boolean changed() {
        return cursor.claimed() != null || !cursor.equals(found.cursor());
    }

    ClaimMarks.Claim claim(@Nullable Long written) {
        return new ClaimMarks.Claim(written == null ? found.mark() : written, claims);
    }
}

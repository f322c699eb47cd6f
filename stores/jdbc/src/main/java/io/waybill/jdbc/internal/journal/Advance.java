package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The transaction that settles and claims, for any number of lanes: their cursors are read together, the same snapshot opens
 * their windows, one statement reads their pages and one writes what has moved. So ten lanes cost the round trips of one,
 * unless they have retries, or page upon page of what is held back.
 */
final class Advance {
    private final Connection connection;
    private final TransactionStart beginning;
    private final List<LaneAdvance> lanes = new ArrayList<>();

    private Advance(Connection connection, TransactionStart beginning) {
        this.connection = connection;
        this.beginning = beginning;
    }

    /** @param marks what this store knows of the last claims, which the outcomes must belong to */
    static Map<Lease, ClaimMarks.Claim> run(Connection connection, List<LaneRequest> turns, ClaimMarks marks)
            throws SQLException {
        int limit = turns.stream().mapToInt(LaneRequest::limit).max().orElse(0);
        TransactionStart beginning = TransactionStart.under(
                connection, turns.stream().map(LaneRequest::lease).toList(), limit);
        Advance advance = new Advance(connection, beginning);
        for (int i = 0; i < turns.size(); i++) {
            LaneRequest turn = turns.get(i);
            TransactionStart.Found found = beginning.found().get(i);
            marks.require(turn.lease(), found.mark(), turn.outcomes());
            LaneAdvance lane = new LaneAdvance(turn, found);
            lane.settle(connection);
            advance.lanes.add(lane);
        }
        advance.openWindows();
        advance.takeFirstPages(limit);
        while (advance.lanes.stream().anyMatch(LaneAdvance::looking)) {
            advance.readPages();
            advance.openWindows();
        }
        return advance.commit();
    }

    private void openWindows() {
        lanes.stream().filter(LaneAdvance::wantsWindow).forEach(lane -> lane.open(beginning.view()));
    }

    private void takeFirstPages(int limit) throws SQLException {
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).mayBeginWith(limit)) {
                lanes.get(i).take(connection, beginning.pages().get(i));
            }
        }
    }

    /** The size of a page stands in its statement, so each size has its own. */
    private void readPages() throws SQLException {
        Map<Integer, List<LaneAdvance>> sizes = new TreeMap<>();
        for (LaneAdvance lane : lanes) {
            if (lane.looking()) {
                sizes.computeIfAbsent(lane.pageSize(), size -> new ArrayList<>())
                        .add(lane);
            }
        }
        for (Map.Entry<Integer, List<LaneAdvance>> size : sizes.entrySet()) {
            List<LaneAdvance> readers = size.getValue();
            List<WindowPage> pages = WindowPage.read(
                    connection, readers.stream().map(LaneAdvance::cursor).toList(), size.getKey());
            for (int i = 0; i < pages.size(); i++) {
                readers.get(i).take(connection, pages.get(i));
            }
        }
    }

    /**
     * A quiet lane in busy company is not written each time, only when its cursor lies far behind. When all are quiet they are
     * written, or a lane that counts as ready for what open transactions had written elsewhere would do so for ever.
     */
    private Map<Lease, ClaimMarks.Claim> commit() throws SQLException {
        boolean allQuiet = lanes.stream().allMatch(LaneAdvance::quiet);
        List<Cursor> moved = lanes.stream()
                .filter(lane -> lane.changed() && (allQuiet || !lane.quiet() || lane.farBehind()))
                .map(LaneAdvance::cursor)
                .toList();
        Map<Integer, Long> written = moved.isEmpty() ? Map.of() : CursorTable.commit(connection, moved);
        Map<Lease, ClaimMarks.Claim> claims = new HashMap<>();
        for (LaneAdvance lane : lanes) {
            Lease lease = lane.turn().lease();
            claims.put(lease, lane.claim(written.get(lease.lane())));
        }
        return claims;
    }
}

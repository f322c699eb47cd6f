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
 * The transaction that settles and claims for any number of lanes. One round trip locks all cursors and takes the snapshot
 * that opens all windows; one statement reads a page of each lane; one writes the changed cursors. Ten lanes therefore cost
 * as many round trips as one, unless lanes have retries or several pages of held events.
 */
final class Advance {
    private final Connection connection;
    private final TransactionStart start;
    private final List<LaneAdvance> lanes = new ArrayList<>();

    private Advance(Connection connection, TransactionStart start) {
        this.connection = connection;
        this.start = start;
    }

    /** @param marks the last claims of this store; outcomes are settled only if they belong to them */
    static Map<Lease, ClaimMarks.Claim> run(Connection connection, List<LaneRequest> requests, ClaimMarks marks)
            throws SQLException {
        int limit = requests.stream().mapToInt(LaneRequest::limit).max().orElse(0);
        TransactionStart start = TransactionStart.lock(
                connection, requests.stream().map(LaneRequest::lease).toList(), limit);
        Advance advance = new Advance(connection, start);
        for (int i = 0; i < requests.size(); i++) {
            LaneRequest request = requests.get(i);
            LockedCursor locked = start.cursors().get(i);
            marks.require(request.lease(), locked.mark(), request.outcomes());
            LaneAdvance lane = new LaneAdvance(request, locked);
            lane.settle(connection);
            advance.lanes.add(lane);
        }
        advance.openWindows();
        advance.useFirstPages(limit);
        while (advance.lanes.stream().anyMatch(LaneAdvance::needsPage)) {
            advance.readPages();
            advance.openWindows();
        }
        return advance.commit();
    }

    private void openWindows() {
        lanes.stream().filter(LaneAdvance::needsWindow).forEach(lane -> lane.open(start.newWindow()));
    }

    private void useFirstPages(int limit) throws SQLException {
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).canUseFirstPage(limit)) {
                lanes.get(i).accept(connection, start.firstPages().get(i));
            }
        }
    }

    /**
     * Reads the next page of each lane that needs one. The page size is part of the SQL text, so each size is a statement of
     * its own.
     */
    private void readPages() throws SQLException {
        Map<Integer, List<LaneAdvance>> sizes = new TreeMap<>();
        for (LaneAdvance lane : lanes) {
            if (lane.needsPage()) {
                sizes.computeIfAbsent(lane.pageSize(), size -> new ArrayList<>())
                        .add(lane);
            }
        }
        for (Map.Entry<Integer, List<LaneAdvance>> size : sizes.entrySet()) {
            List<LaneAdvance> readers = size.getValue();
            List<WindowPage> pages = WindowPage.read(
                    connection, readers.stream().map(LaneAdvance::cursor).toList(), size.getKey());
            for (int i = 0; i < pages.size(); i++) {
                readers.get(i).accept(connection, pages.get(i));
            }
        }
    }

    /**
     * Writes the cursors that have moved. The cursor of an idle lane is written only if it is far behind or if all
     * lanes are idle. Without these writes, {@link JournalStore#READY} would select an idle lane again and again
     * because of rows that open transactions wrote in other lanes.
     */
    private Map<Lease, ClaimMarks.Claim> commit() throws SQLException {
        boolean allIdle = lanes.stream().allMatch(LaneAdvance::idle);
        List<Cursor> moved = lanes.stream()
                .filter(lane -> lane.changed() && (allIdle || !lane.idle() || lane.isFarBehind()))
                .map(LaneAdvance::cursor)
                .toList();
        Map<Integer, Long> written = moved.isEmpty() ? Map.of() : CursorTable.writeAndCommit(connection, moved);
        Map<Lease, ClaimMarks.Claim> claims = new HashMap<>();
        for (LaneAdvance lane : lanes) {
            Lease lease = lane.lease();
            claims.put(lease, lane.claim(written.get(lease.lane())));
        }
        return claims;
    }
}

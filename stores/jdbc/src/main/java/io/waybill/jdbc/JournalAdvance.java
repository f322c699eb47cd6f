package io.waybill.jdbc;

import io.waybill.store.Lease;
import io.waybill.store.Turn;
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
final class JournalAdvance {
    private final Connection connection;
    private final JournalBeginning beginning;
    private final List<JournalTurn> lanes = new ArrayList<>();

    private JournalAdvance(Connection connection, JournalBeginning beginning) {
        this.connection = connection;
        this.beginning = beginning;
    }

    /** @param marks what this store knows of the last claims, which the outcomes must belong to */
    static Map<Lease, ClaimMarks.Claim> run(Connection connection, List<Turn> turns, ClaimMarks marks)
            throws SQLException {
        int limit = turns.stream().mapToInt(Turn::limit).max().orElse(0);
        JournalBeginning beginning = JournalBeginning.under(
                connection, turns.stream().map(Turn::lease).toList(), limit);
        JournalAdvance advance = new JournalAdvance(connection, beginning);
        for (int i = 0; i < turns.size(); i++) {
            Turn turn = turns.get(i);
            JournalBeginning.Found found = beginning.found().get(i);
            marks.require(turn.lease(), found.mark(), turn.outcomes());
            JournalTurn lane = new JournalTurn(turn, found);
            lane.settle(connection);
            advance.lanes.add(lane);
        }
        advance.openWindows();
        advance.takeFirstPages(limit);
        while (advance.lanes.stream().anyMatch(JournalTurn::looking)) {
            advance.readPages();
            advance.openWindows();
        }
        return advance.commit();
    }

    private void openWindows() {
        lanes.stream().filter(JournalTurn::wantsWindow).forEach(lane -> lane.open(beginning.view()));
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
        Map<Integer, List<JournalTurn>> sizes = new TreeMap<>();
        for (JournalTurn lane : lanes) {
            if (lane.looking()) {
                sizes.computeIfAbsent(lane.pageSize(), size -> new ArrayList<>())
                        .add(lane);
            }
        }
        for (Map.Entry<Integer, List<JournalTurn>> size : sizes.entrySet()) {
            List<JournalTurn> readers = size.getValue();
            List<JournalPage> pages = JournalPage.read(
                    connection, readers.stream().map(JournalTurn::cursor).toList(), size.getKey());
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
        boolean allQuiet = lanes.stream().allMatch(JournalTurn::quiet);
        List<JournalCursor> moved = lanes.stream()
                .filter(lane -> lane.changed() && (allQuiet || !lane.quiet() || lane.farBehind()))
                .map(JournalTurn::cursor)
                .toList();
        Map<Integer, Long> written = moved.isEmpty() ? Map.of() : JournalCursors.commit(connection, moved);
        Map<Lease, ClaimMarks.Claim> claims = new HashMap<>();
        for (JournalTurn lane : lanes) {
            Lease lease = lane.turn().lease();
            claims.put(lease, lane.claim(written.get(lease.lane())));
        }
        return claims;
    }
}

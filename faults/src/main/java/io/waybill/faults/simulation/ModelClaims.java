package io.waybill.faults.simulation;

import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Claims events of a lane: due retries first, then new events in order. Parks events that must wait behind a failed one. */
final class ModelClaims {
    private final List<Row> rows;
    private final Lease lease;
    private final long now;
    private final Bug bug;
    private final long lastRead;

    ModelClaims(List<Row> rows, Lease lease, long now, Bug bug, long lastRead) {
        this.rows = rows;
        this.lease = lease;
        this.now = now;
        this.bug = bug;
        this.lastRead = lastRead;
    }

    /** Ends the last claim of the lane: an unsettled first attempt becomes pending again. */
    List<ClaimedEvent> claim(int limit, long bytes) {
        for (Row row : rows) {
            if (row.lane == lease.lane() && row.state == EventState.CLAIMED && row.due == Row.AT_ONCE) {
                row.state = EventState.PENDING;
            }
        }
        if (limit == 0) {
            return List.of();
        }
        List<Row> chosen = within(bytes / 2, lightest(due(Math.max(1, limit / 2)), Math.max(1, limit / 2)));
        long left = bytes - chosen.stream().mapToLong(ModelClaims::bytes).sum();
        if (chosen.stream().noneMatch(row -> row.crashCount > 0) && (left > 0 || chosen.isEmpty())) {
            int room = limit - chosen.size();
            List<Row> waiting = waiting();
            chosen = new ArrayList<>(chosen);
            chosen.addAll(within(left, lightest(waiting.subList(0, Math.min(room, waiting.size())), room)));
        }
        List<ClaimedEvent> claims = new ArrayList<>(chosen.size());
        chosen.stream().sorted(order()).forEach(row -> {
            boolean retried = row.due != Row.AT_ONCE;
            Duration age = Duration.ofNanos(now - row.createdAt);
            row.state = EventState.CLAIMED;
            row.claimedBy = lease.fence();
            claims.add(new ClaimedEvent(row.event, row.position, row.retryCount, retried, age));
        });
        return claims;
    }

    private Comparator<Row> order() {
        return switch (bug) {
            case ORDER_BY_CREATED_AT -> Comparator.comparingLong(row -> row.createdAt);
            case ORDER_BY_TRANSACTION -> Comparator.comparingLong(row -> row.transaction);
            default -> Comparator.comparingLong(row -> row.position);
        };
    }

    private List<Row> due(int limit) {
        return rows.stream()
                .filter(row -> row.lane == lease.lane() && row.committed)
                .filter(row -> row.state == EventState.PENDING && row.due != Row.AT_ONCE && row.due <= now)
                .sorted(Comparator.comparingLong(row -> row.due))
                .limit(limit)
                .sorted(Comparator.comparingLong(row -> row.position))
                .toList();
    }

    /** Returns the events that can be claimed for the first time. Parks those that must wait. */
    private List<Row> waiting() {
        List<Row> waiting = new ArrayList<>();
        for (Row row : rows) {
            if (row.lane != lease.lane() || !row.committed || !row.waitsForFirstAttempt()) {
                continue;
            }
            if (bug == Bug.READ_ABOVE_LAST && row.position <= lastRead && row.claimedBy == 0) {
                continue;
            }
            if (bug != Bug.SKIP_A_FAILED_HEAD && heldBack(row)) {
                row.state = EventState.PARKED;
                row.due = Row.NOT_YET;
            } else {
                waiting.add(row);
            }
        }
        waiting.sort(order());
        return waiting;
    }

    private boolean heldBack(Row row) {
        for (Row other : rows) {
            if (other.position < row.position
                    && other.holdsBack()
                    && other.key().equals(row.key())) {
                return true;
            }
        }
        return false;
    }

    /** Returns the first candidates, up to the byte limit, but at least one. */
    private static List<Row> within(long bytes, List<Row> candidates) {
        long used = 0;
        for (int i = 0; i < candidates.size(); i++) {
            if (used >= bytes && i > 0) {
                return candidates.subList(0, i);
            }
            used += bytes(candidates.get(i));
        }
        return candidates;
    }

    private static long bytes(Row row) {
        return row.event.payload().length();
    }

    /** Returns the first candidates up to the limit, but at least one. An event counts 8 times for each crash of its owners. */
    private static List<Row> lightest(List<Row> candidates, int limit) {
        double weight = 0;
        for (int i = 0; i < candidates.size(); i++) {
            weight += Math.pow(8, Math.min(candidates.get(i).crashCount, 6));
            if (weight > limit && i > 0) {
                return candidates.subList(0, i);
            }
        }
        return candidates;
    }
}

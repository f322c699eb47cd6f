package io.waybill.faults.history;

import java.util.List;
import java.util.stream.Stream;

/**
 * The result of a check. A run is correct if {@link #violations()} is empty.
 *
 * @param attempted number of events that writers tried to append
 * @param committed number of these events that the database has committed
 * @param delivered number of distinct committed events on the topic
 * @param deadLetters number of committed events that are dead letters
 * @param duplicates number of repeated deliveries; allowed if a fault explains them
 * @param lost committed events that were neither delivered nor dead letters (I1)
 * @param ghosts events that were delivered but not committed (I2)
 * @param revoked events that were delivered and committed, but lost by the database in a failover to an asynchronous standby. They are
 *     listed separately, because a relay cannot know that a commit will be lost
 * @param corrupt events that were delivered with another key, payload or header than appended (I3)
 * @param misordered events whose first delivery came before an earlier or after a later event of their key (I4)
 * @param unkept events whose commit was confirmed but is not in the database; caused by the database or its configuration, not by a relay
 * @param undone events whose rollback was confirmed but that are in the database; the record of the writer is wrong
 */
public record HistoryVerdict(
        int attempted,
        int committed,
        int delivered,
        int deadLetters,
        int duplicates,
        List<String> lost,
        List<String> ghosts,
        List<String> revoked,
        List<String> corrupt,
        List<String> misordered,
        List<String> unkept,
        List<String> undone) {

    /** Returns a line for each lost, uncommitted, corrupt or misordered event (I1 to I4) and for each wrong record of a writer. */
    public List<String> violations() {
        return Stream.of(
                        lost.stream().map(e -> "lost: " + e),
                        ghosts.stream().map(e -> "ghost: " + e),
                        corrupt.stream().map(e -> "corrupt: " + e),
                        misordered.stream().map(e -> "misordered: " + e),
                        undone.stream().map(e -> "bookkeeping: " + e))
                .flatMap(lines -> lines)
                .toList();
    }

    /** Returns all counts in one line. */
    public String numbers() {
        return "attempted=" + attempted + " committed=" + committed + " delivered=" + delivered + " dead=" + deadLetters
                + " lost=" + lost.size() + " ghost=" + ghosts.size() + " corrupt=" + corrupt.size() + " misordered="
                + misordered.size() + " duplicates=" + duplicates + " unkept=" + unkept.size() + " revoked="
                + revoked.size();
    }
}

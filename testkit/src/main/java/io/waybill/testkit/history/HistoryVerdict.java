package io.waybill.testkit.history;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a run amounted to. The lists name the violations; a run is clean when {@link #violations()} is empty.
 *
 * @param attempted events that writers tried to write
 * @param committed of these, how many the database kept
 * @param delivered different committed events on the topic
 * @param deadLetters committed events that were given up on and shown to a person
 * @param duplicates deliveries of an event after its first one: allowed where a fault explains them
 * @param lost committed, and neither delivered nor a dead letter (I1)
 * @param ghosts delivered, and not committed (I2)
 * @param revoked delivered, and committed by a database whose successor, after a failover, does not have it: the database lost
 *     it, and it is out; named apart, because no relay could know
 * @param corrupt delivered with another key, payload or header than written (I3)
 * @param misordered first deliveries that jumped ahead of an earlier event of their key, or came after a later one (I4)
 * @param unkept told to be committed, and not in the database: its fault or its configuration's, not the relay's
 * @param undone told not to be committed, and in the database: the writer's bookkeeping is wrong
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

    /** One line for each violation of I1 to I4, and of the writers' own bookkeeping. */
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

    /** All numbers, in one line. */
    public String numbers() {
        return "attempted=" + attempted + " committed=" + committed + " delivered=" + delivered + " dead=" + deadLetters
                + " lost=" + lost.size() + " ghost=" + ghosts.size() + " corrupt=" + corrupt.size() + " misordered="
                + misordered.size() + " duplicates=" + duplicates + " unkept=" + unkept.size() + " revoked="
                + revoked.size();
    }
}

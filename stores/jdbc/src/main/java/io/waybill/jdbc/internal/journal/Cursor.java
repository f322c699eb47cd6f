package io.waybill.jdbc.internal.journal;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How far a lane has come, read under the fence at the beginning of a transaction and written back at its end.
 *
 * @param done everything visible in this snapshot is finished
 * @param doneSeq the sequence before {@code done} was taken
 * @param open the snapshot of the window that is being worked, null between two windows
 * @param openEnd the sequence after {@code open} was taken; stays when the window is closed
 * @param pos the window is settled up to this sequence number
 * @param claimed the window is claimed up to this one; null when nothing is in flight
 * @param crashes how many owners in a row ended while they held what lies up to {@code suspect}
 */
public record Cursor(
        int lane,
        String done,
        long doneSeq,
        @Nullable String open,
        long openSeq,
        long openEnd,
        long pos,
        @Nullable Long claimed,
        int crashes,
        long suspect) {

    /** More numbers than this are not named one by one in a snapshot. */
    private static final int MOST_NAMED = 10_000;

    /** In sequence numbers, or in transactions: one that was open for long may have left much to look at. */
    private static final int FAR = 1_000;

    /**
     * The last number that was drawn. A SELECT from the sequence may see one that was not: PostgreSQL logs it 32 numbers ahead,
     * and until it has done so the sequence's row holds that number. The function waits for it. It returns null for a sequence
     * that was never drawn from, which is 0, and from PostgreSQL 18 on also for one that this role may not read; only then
     * the value is null here.
     */
    public static final String SEQUENCE =
            "SELECT CASE WHEN has_sequence_privilege('outbox_events_seq_seq', 'SELECT, USAGE')"
                    + " THEN coalesce(pg_sequence_last_value('outbox_events_seq_seq'), 0) END AS value";

    /**
     * What a window sees that is opened in this transaction.
     *
     * @param end the sequence after the snapshot was taken
     */
    record View(String snapshot, long end) {}

    /**
     * A snapshot's xmax is one above the latest transaction that has <em>ended</em>. A transaction with a higher number may
     * have been running for long, with sequence numbers as low as any, and is not in the snapshot's list. So the list is
     * extended up to our own number: what has a higher one got it after ours, and ours came after the sequence was read
     * together with the cursors; its rows lie above.
     *
     * @param own the number of the transaction that has taken the snapshot
     * @return null when that must wait for the next transaction
     */
    static @Nullable View view(String snapshot, long end, long own) {
        String extended = extended(snapshot, own);
        return extended == null ? null : new View(extended, end);
    }

    /**
     * Opens the next window.
     *
     * @param sequence as it was before this transaction got its number
     */
    Cursor opened(View view, long sequence) {
        return new Cursor(lane, done, doneSeq, view.snapshot, sequence, view.end, 0, null, crashes, suspect);
    }

    /** Whether so much has happened since that looking from there costs more than to write the cursor. */
    boolean farBehind(Cursor newer) {
        return newer.doneSeq - doneSeq > FAR || xmin(newer.done) - xmin(done) > FAR;
    }

    private static long xmin(String snapshot) {
        return Long.parseLong(snapshot.substring(0, snapshot.indexOf(':')));
    }

    private static long xmax(String snapshot) {
        return Long.parseLong(snapshot, snapshot.indexOf(':') + 1, snapshot.lastIndexOf(':'), 10);
    }

    /** Whether it names transactions that had not begun when this snapshot was taken. */
    boolean ahead(String snapshot) {
        return Math.max(xmax(done), open == null ? 0 : xmax(open)) > xmax(snapshot);
    }

    /**
     * Names as running every number from the snapshot's xmax to {@code own}, and {@code own} itself in any case: a
     * transaction's snapshot does not list the transaction.
     *
     * @return null when there are too many, as when one transaction has used a million savepoints and nobody else has committed
     *     since. Our commit will be the latest then, and the next snapshot starts behind it.
     */
    static @Nullable String extended(String snapshot, long own) {
        String[] parts = snapshot.split(":", -1);
        long xmax = Long.parseLong(parts[1]);
        if (own - xmax >= MOST_NAMED) {
            return null;
        }
        LongStream listed = parts[2].isEmpty()
                ? LongStream.empty()
                : Stream.of(parts[2].split(",")).mapToLong(Long::parseLong);
        LongStream unlisted = LongStream.rangeClosed(Math.min(xmax, own), own).filter(x -> x >= xmax || x == own);
        return parts[0] + ":" + Math.max(xmax, own + 1) + ":"
                + LongStream.concat(listed, unlisted)
                        .sorted()
                        .mapToObj(Long::toString)
                        .collect(Collectors.joining(","));
    }

    /** The window is finished. */
    Cursor closed() {
        return open == null ? this : new Cursor(lane, open, openSeq, null, 0, openEnd, 0, null, 0, 0);
    }

    /** Settled up to there; the window is closed when it holds nothing beyond. */
    Cursor settledUpTo(long seq) {
        if (seq >= openEnd) {
            return closed();
        }
        boolean past = seq >= suspect;
        return new Cursor(
                lane, done, doneSeq, open, openSeq, openEnd, seq, null, past ? 0 : crashes, past ? 0 : suspect);
    }

    /** Whether the next page may have ended its owners. */
    boolean suspicious() {
        return pos < suspect;
    }

    Cursor withClaimed(@Nullable Long upTo) {
        return new Cursor(lane, done, doneSeq, open, openSeq, openEnd, pos, upTo, crashes, suspect);
    }
}

package io.waybill.jdbc.internal.journal;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a lane: read under the fence at the start of a transaction and written back at its end.
 *
 * @param done every event that is visible in this snapshot is finished
 * @param doneSeq the last number of the sequence, read before {@code done} was taken
 * @param open the snapshot of the open window; null between two windows
 * @param openSeq the last number of the sequence, read before {@code open} was taken
 * @param openEnd the last number of the sequence, read after {@code open} was taken; keeps its value when the window is
 *     closed
 * @param pos events of the window up to this sequence number are settled
 * @param claimed events of the window up to this sequence number are claimed; null when none is in flight
 * @param crashes how many owners in succession crashed while events up to {@code suspect} were in flight
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

    /** The largest number of transactions by which a snapshot is extended. */
    private static final int MAX_EXTENSION = 10_000;

    /**
     * A cursor that is this many sequence or transaction numbers behind is written even if its lane is idle: a search
     * from it may scan many events.
     */
    private static final int FAR_BEHIND = 1_000;

    /**
     * Selects the last number drawn from the sequence. A plain SELECT from the sequence can return a higher number: PostgreSQL
     * writes its log 32 numbers ahead, and meanwhile the sequence's row holds the number that is being logged. The
     * function waits for that to end. It returns null for a sequence that was never drawn from, which becomes 0 here. From
     * PostgreSQL 18 on it also returns null for a sequence that this role may not read; only then is the value null.
     */
    public static final String SEQUENCE =
            "SELECT CASE WHEN has_sequence_privilege('outbox_events_seq_seq', 'SELECT, USAGE')"
                    + " THEN coalesce(pg_sequence_last_value('outbox_events_seq_seq'), 0) END AS value";

    /**
     * A window that can be opened in this transaction.
     *
     * @param end the last number of the sequence, read after the snapshot was taken
     */
    record NewWindow(String snapshot, long end) {}

    /**
     * Makes a window from the snapshot of this transaction.
     *
     * <p>A snapshot's xmax is one above the latest transaction that has <em>ended</em>. A transaction with a higher number
     * may have been running for a long time, may have drawn low sequence numbers, and is not in the snapshot's list of
     * running transactions. The list is therefore extended up to {@code own}. A transaction with a number above {@code own}
     * got its number after this transaction, and this transaction got its number after the sequence was read with the
     * cursors. The rows of that transaction therefore have sequence numbers above {@code openSeq}.
     *
     * @param own the number of the transaction that took the snapshot
     * @return null if no window can be opened before the next transaction
     */
    static @Nullable NewWindow newWindow(String snapshot, long end, long own) {
        String extended = extended(snapshot, own);
        return extended == null ? null : new NewWindow(extended, end);
    }

    /**
     * Opens the window.
     *
     * @param sequence the last number of the sequence, read before this transaction got its number
     */
    Cursor opened(NewWindow window, long sequence) {
        return new Cursor(lane, done, doneSeq, window.snapshot, sequence, window.end, 0, null, crashes, suspect);
    }

    /** Whether the newer cursor is so far ahead that searching from this one costs more than writing the newer one. */
    boolean isFarBehind(Cursor newer) {
        return newer.doneSeq - doneSeq > FAR_BEHIND || xmin(newer.done) - xmin(done) > FAR_BEHIND;
    }

    private static long xmin(String snapshot) {
        return Long.parseLong(snapshot.substring(0, snapshot.indexOf(':')));
    }

    private static long xmax(String snapshot) {
        return Long.parseLong(snapshot, snapshot.indexOf(':') + 1, snapshot.lastIndexOf(':'), 10);
    }

    /** Whether the cursor refers to transactions that had not begun when the snapshot was taken. */
    boolean isAheadOf(String snapshot) {
        return Math.max(xmax(done), open == null ? 0 : xmax(open)) > xmax(snapshot);
    }

    /**
     * Adds to the list of running transactions every number from the snapshot's xmax to {@code own}. It always adds
     * {@code own}, because a transaction's snapshot does not list the transaction itself.
     *
     * @return null if there are too many numbers, for example when one transaction has used a million savepoints and no other
     *     transaction has committed since. This transaction's commit is then the latest, and the next snapshot has a higher xmax.
     */
    static @Nullable String extended(String snapshot, long own) {
        String[] parts = snapshot.split(":", -1);
        long xmax = Long.parseLong(parts[1]);
        if (own - xmax >= MAX_EXTENSION) {
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

    /** The cursor after the last event of the window is settled. */
    Cursor closed() {
        return open == null ? this : new Cursor(lane, open, openSeq, null, 0, openEnd, 0, null, 0, 0);
    }

    /** The cursor after all events up to {@code seq} are settled. Closes the window if it ends there. */
    Cursor settledUpTo(long seq) {
        if (seq >= openEnd) {
            return closed();
        }
        boolean past = seq >= suspect;
        return new Cursor(
                lane, done, doneSeq, open, openSeq, openEnd, seq, null, past ? 0 : crashes, past ? 0 : suspect);
    }

    /** Whether an event on the next page may have crashed an earlier owner of the lane. */
    boolean isSuspect() {
        return pos < suspect;
    }

    Cursor withClaimed(@Nullable Long upTo) {
        return new Cursor(lane, done, doneSeq, open, openSeq, openEnd, pos, upTo, crashes, suspect);
    }
}

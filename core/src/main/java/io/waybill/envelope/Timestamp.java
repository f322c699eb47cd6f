package io.waybill.envelope;

import java.time.Instant;

/**
 * Writes times as {@link Instant#toString} does, which takes a tenth of the time of a whole envelope. Events that follow one
 * another were mostly written in the same second, so all but its fraction is made once.
 */
final class Timestamp {
    private static final int NANOS_PER_MICRO = 1_000;

    private static volatile Timestamp latest = new Timestamp(Instant.EPOCH.getEpochSecond());

    private final long second;
    private final String text;

    private Timestamp(long second) {
        this.second = second;
        String whole = Instant.ofEpochSecond(second).toString();
        this.text = whole.substring(0, whole.length() - 1);
    }

    static String text(Instant time) {
        int nanos = time.getNano();
        int micros = nanos / NANOS_PER_MICRO;
        if (nanos == 0 || micros * NANOS_PER_MICRO != nanos || micros % 1_000 == 0) {
            return time.toString(); // a fraction of another length
        }
        Timestamp known = latest;
        if (known.second != time.getEpochSecond()) {
            known = new Timestamp(time.getEpochSecond());
            latest = known;
        }
        // A seventh digit in front keeps the zeros
        String fraction = Integer.toString(1_000_000 + micros);
        return new StringBuilder(known.text.length() + 8)
                .append(known.text)
                .append('.')
                .append(fraction, 1, 7)
                .append('Z')
                .toString();
    }
}

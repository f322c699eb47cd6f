package io.waybill.bench.load;

import java.util.SplittableRandom;

/**
 * Numbered events of a given size. The payload contains the number and the key, so that a consumer can identify the event in
 * any envelope.
 */
public record Load(KeyDistribution spread, int keys, int payloadBytes) {
    private static final String BEGIN = "{\"number\":\"";
    private static final String MIDDLE = "\",\"key\":\"";
    private static final String END =
            "\",\"userId\":\"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\",\"items\":[{\"sku\":\"A-1\",\"qty\":2,"
                    + "\"price\":19.99}],\"currency\":\"EUR\",\"note\":\"";
    private static final int DIGITS = 12;

    public Load {
        int least = BEGIN.length() + DIGITS + MIDDLE.length() + 14 + END.length() + 2;
        if (payloadBytes < least) {
            throw new IllegalArgumentException("A payload needs " + least + " bytes at least, not " + payloadBytes);
        }
    }

    /** Returns the load of one of several writers. Each writer has its own keys, so that commits of a key are in the order of the numbers. */
    public Entry next(long number, SplittableRandom random, int writer, int writers) {
        int pick = spread.pick(random, keys);
        String key = "agg-" + (spread == KeyDistribution.ONE_KEY ? 0 : pick - pick % writers + writer);
        return new Entry(number, key, payload(number, key));
    }

    String payload(long number, String key) {
        StringBuilder text = new StringBuilder(payloadBytes).append(BEGIN);
        String digits = Long.toString(number);
        text.append("0".repeat(DIGITS - digits.length()))
                .append(digits)
                .append(MIDDLE)
                .append(key)
                .append(END);
        text.append("x".repeat(payloadBytes - 2 - text.length()));
        return text.append("\"}").toString();
    }

    /** Returns a query for the columns {@code key} and {@code payload} of events with these numbers, in order. */
    public String sql(long first, long events) {
        return "SELECT key, rpad('" + BEGIN + "' || lpad(n::text, " + DIGITS + ", '0') || '" + MIDDLE + "' || key || '"
                + END + "', " + (payloadBytes - 2) + ", 'x') || '\"}' AS payload FROM (SELECT n, 'agg-' || "
                + spread.sql(keys) + " AS key FROM generate_series(" + first + "::bigint, " + (first + events - 1)
                + ") n OFFSET 0) numbered";
    }

    /** Returns the number in a message, or -1 if there is none. */
    public static long numberIn(String message) {
        int from = message.indexOf("number");
        if (from < 0) {
            return -1;
        }
        int digit = from + "number".length();
        while (digit < message.length() && !Character.isDigit(message.charAt(digit))) {
            digit++;
        }
        return digit + DIGITS > message.length() ? -1 : Long.parseLong(message, digit, digit + DIGITS, 10);
    }

    /** Returns the key in a message, or an empty string if there is none. */
    public static String keyIn(String message) {
        int from = message.indexOf("agg-");
        if (from < 0) {
            return "";
        }
        int end = from + 4;
        while (end < message.length() && Character.isDigit(message.charAt(end))) {
            end++;
        }
        return message.substring(from, end);
    }
}

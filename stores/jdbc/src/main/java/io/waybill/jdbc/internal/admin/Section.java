package io.waybill.jdbc.internal.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A set of events in the order of an index. Pages are read by position, so that the cost of a page does not grow with the number of
 * pages before it.
 *
 * @param sql selects id, number and, unless the order is by number only, text or time of the next events. {@code %1$s} is the place of
 *     the condition on the position, {@code %2$d} that of the limit
 * @param parts how often {@code sql} contains the condition
 */
public record Section(Order order, String column, String sql, int parts) {
    public Section(Order order, String column, String sql) {
        this(order, column, sql, 1);
    }

    /** The order of the events, which determines the position after one of them. */
    public enum Order {
        NUMBER,
        NUMBER_DESCENDING,
        /** By a text column, then by number. */
        TEXT,
        /** By a time column, then by number. */
        TIME,
        TIME_DESCENDING;

        boolean isDescending() {
            return this == NUMBER_DESCENDING || this == TIME_DESCENDING;
        }

        boolean isByTime() {
            return this == TIME || this == TIME_DESCENDING;
        }

        boolean isByNumberOnly() {
            return this == NUMBER || this == NUMBER_DESCENDING;
        }
    }

    /** The place after an event: its number, and its text or time. */
    record Position(long number, String text) {}

    private static final String LATEST = "9999-01-01T00:00:00Z";

    /** Returns the position before the first event. */
    Position start() {
        String text = order.isByTime() ? (order.isDescending() ? LATEST : "1970-01-01T00:00:00Z") : "";
        return new Position(order.isDescending() ? Long.MAX_VALUE : 0, text);
    }

    /**
     * The condition repeats the leading column, because MariaDB uses no index for a comparison of two columns with two values.
     */
    String sql(int limit) {
        String number = "seq";
        int dot = column.indexOf('.');
        if (dot >= 0) {
            number = column.substring(0, dot + 1) + "seq";
        }
        String condition = switch (order) {
            case NUMBER -> " AND " + number + " > ?";
            case NUMBER_DESCENDING -> " AND " + number + " < ?";
            case TEXT, TIME -> " AND " + column + " >= ? AND (" + column + " > ? OR " + number + " > ?)";
            case TIME_DESCENDING -> " AND " + column + " <= ? AND (" + column + " < ? OR " + number + " < ?)";
        };
        return sql.formatted(condition, limit);
    }

    Object[] values(Position position) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            if (!order.isByNumberOnly()) {
                Object text = order.isByTime() ? Instant.parse(position.text()) : position.text();
                values.add(text);
                values.add(text);
            }
            values.add(position.number());
        }
        return values.toArray();
    }
}

package io.waybill.jdbc.internal.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a statement takes a list of values where {@code = ANY (?)} is written. */
enum ListBinding {
    /** As one value, an array. */
    ARRAY {
        @Override
        String sql(String statement, List<@Nullable Object> values) {
            return statement;
        }

        @Override
        List<@Nullable Object> values(List<@Nullable Object> values) {
            return values;
        }
    },
    /** {@code = ANY (?)} becomes {@code IN (?, ?)}. */
    EXPANDED {
        @Override
        String sql(String statement, List<@Nullable Object> values) {
            StringBuilder text = new StringBuilder();
            int from = 0;
            for (Object value : values) {
                int mark = statement.indexOf('?', from);
                if (value instanceof Collection<?> list) {
                    int start = mark - LIST.indexOf('?');
                    String places = list.isEmpty() ? "NULL" : String.join(", ", Collections.nCopies(list.size(), "?"));
                    text.append(statement, from, start)
                            .append("IN (")
                            .append(places)
                            .append(")");
                    from = start + LIST.length();
                } else {
                    text.append(statement, from, mark + 1);
                    from = mark + 1;
                }
            }
            return text.append(statement, from, statement.length()).toString();
        }

        @Override
        List<@Nullable Object> values(List<@Nullable Object> values) {
            List<@Nullable Object> flat = new ArrayList<>();
            for (Object value : values) {
                if (value instanceof Collection<?> list) {
                    flat.addAll(list);
                } else {
                    flat.add(value);
                }
            }
            return flat;
        }
    };

    private static final String LIST = "= ANY (?)";

    /** The statement with a place for each value that is bound. */
    abstract String sql(String statement, List<@Nullable Object> values);

    /** The values as they are bound, one after the other. */
    abstract List<@Nullable Object> values(List<@Nullable Object> values);
}

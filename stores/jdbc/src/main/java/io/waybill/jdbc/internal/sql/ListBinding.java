package io.waybill.jdbc.internal.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a list is bound to the placeholder in {@code = ANY (?)}. */
enum ListBinding {
    /** The list is one parameter, an array. */
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
    /** Each element is a parameter: {@code = ANY (?)} becomes {@code IN (?, ?)}. */
    EXPANDED {
        @Override
        String sql(String statement, List<@Nullable Object> values) {
            StringBuilder text = new StringBuilder();
            int from = 0;
            for (Object value : values) {
                int placeholder = statement.indexOf('?', from);
                if (value instanceof Collection<?> list) {
                    int start = placeholder - ANY.indexOf('?');
                    String placeholders =
                            list.isEmpty() ? "NULL" : String.join(", ", Collections.nCopies(list.size(), "?"));
                    text.append(statement, from, start)
                            .append("IN (")
                            .append(placeholders)
                            .append(")");
                    from = start + ANY.length();
                } else {
                    text.append(statement, from, placeholder + 1);
                    from = placeholder + 1;
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

    private static final String ANY = "= ANY (?)";

    /** Returns the statement with one placeholder for each bound value. */
    abstract String sql(String statement, List<@Nullable Object> values);

    /** Returns the values to bind, in the order of their placeholders. */
    abstract List<@Nullable Object> values(List<@Nullable Object> values);
}

package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A query for the events of one source that match a filter. It reads along one index. */
final class EventSearch {
    private static final String CONDITIONS = "%1$s";

    private final String sql;
    private final List<Object> values = new ArrayList<>();

    EventSearch(ViewStatements statements, ViewQueries.Source source, String stateOf, EventFilter filter, int limit) {
        StringBuilder conditions = new StringBuilder();
        add(conditions, "e.aggregate_id = ?", filter.key());
        EventState state = filter.state();
        add(conditions, stateOf + " = ?", state == null ? null : state.name());
        add(conditions, "e.event_type = ?", filter.type());
        add(conditions, statements.olderThan, millis(filter.olderThan()));
        add(conditions, statements.youngerThan, millis(filter.youngerThan()));
        List<Object> parameters = List.copyOf(values);
        int second = source.sql().indexOf(CONDITIONS, source.sql().indexOf(CONDITIONS) + 1);
        if (second >= 0) {
            values.addAll(parameters); // a source with two parts repeats the conditions in each part
        }
        sql = statements.records(source.sql().formatted(conditions, limit)) + " ORDER BY " + source.order();
    }

    String sql() {
        return sql;
    }

    Object[] values() {
        return values.toArray();
    }

    private void add(StringBuilder conditions, String condition, @Nullable Object value) {
        if (value != null) {
            conditions.append(" AND ").append(condition);
            values.add(value);
        }
    }

    private static @Nullable Long millis(@Nullable Duration age) {
        return age == null ? null : age.toMillis();
    }
}

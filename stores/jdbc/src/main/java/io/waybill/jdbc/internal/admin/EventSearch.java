package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import java.util.ArrayList;
import java.util.List;

/** A query for the events of one source that match a filter. It reads along one index. */
final class EventSearch {
    private static final String CONDITIONS = "%1$s";

    private final String sql;
    private final List<Object> values = new ArrayList<>();

    EventSearch(
            ViewStatements statements, ViewQueries.Source source, ViewQueries queries, EventFilter filter, int limit) {
        FilterConditions conditions = FilterConditions.of(statements, queries, filter);
        values.addAll(conditions.values());
        List<Object> parameters = List.copyOf(values);
        int second = source.sql().indexOf(CONDITIONS, source.sql().indexOf(CONDITIONS) + 1);
        if (second >= 0) {
            values.addAll(parameters); // a source with two parts repeats the conditions in each part
        }
        sql = statements.records(source.sql().formatted(conditions.sql(), limit)) + " ORDER BY " + source.order();
    }

    String sql() {
        return sql;
    }

    Object[] values() {
        return values.toArray();
    }
}

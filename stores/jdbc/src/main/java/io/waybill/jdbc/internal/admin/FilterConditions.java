package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a filter on the row {@code e} of {@code outbox_events}.
 *
 * @param sql the conditions, each preceded by AND
 * @param values their parameters
 */
record FilterConditions(String sql, List<Object> values) {
    static FilterConditions of(ViewStatements statements, ViewQueries queries, EventFilter filter) {
        FilterConditions none = new FilterConditions("", List.of());
        return none.and("e.aggregate_id = ?", filter.key())
                .andStates(queries.state() + " = ANY (?)", filter)
                .andType(filter.type())
                .and("coalesce(e.topic, e.event_type) = ?", filter.topic())
                .and("lower(" + queries.error() + ") LIKE ? ESCAPE '!'", containing(filter.error()))
                .and(statements.headers + " LIKE ? ESCAPE '!'", tracing(filter.traceId()))
                .and(statements.olderThan, millis(filter.olderThan()))
                .and(statements.youngerThan, millis(filter.youngerThan()));
    }

    private FilterConditions and(String condition, @Nullable Object value) {
        if (value == null) {
            return this;
        }
        List<Object> more = new ArrayList<>(values);
        more.add(value);
        return new FilterConditions(sql + " AND " + condition, List.copyOf(more));
    }

    private FilterConditions andStates(String condition, EventFilter filter) {
        return filter.states().isEmpty()
                ? this
                : and(
                        condition,
                        filter.states().stream().map(EventState::name).sorted().toList());
    }

    private FilterConditions andType(@Nullable String type) {
        return type != null && type.endsWith("*")
                ? and("e.event_type LIKE ? ESCAPE '!'", escaped(type.substring(0, type.length() - 1)) + "%")
                : and("e.event_type = ?", type);
    }

    private static @Nullable String containing(@Nullable String text) {
        return text == null ? null : "%" + escaped(text.toLowerCase(Locale.ROOT)) + "%";
    }

    /** The header is {@code 00-<trace id>-<span id>-<flags>}. */
    private static @Nullable String tracing(@Nullable String traceId) {
        return traceId == null ? null : "%\"traceparent\"%-" + escaped(traceId.toLowerCase(Locale.ROOT)) + "-%";
    }

    private static String escaped(String text) {
        return text.replaceAll("[!%_]", "!$0");
    }

    private static @Nullable Long millis(@Nullable Duration age) {
        return age == null ? null : age.toMillis();
    }
}

package io.waybill.jdbc.saga;

import io.waybill.saga.SagaStatus;
import io.waybill.saga.admin.SagaFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The query for a page of sagas. It has only the conditions that the filter has, so that the database can choose an index for
 * them.
 */
final class SagaSearch {
    private final StringBuilder sql;
    private final List<Object> values = new ArrayList<>();
    private boolean any;

    /** @param before when the last saga of the page before was created; null for the first page */
    SagaSearch(SagaStatements statements, SagaFilter filter, @Nullable Instant before) {
        boolean open = filter.openOnly();
        sql = new StringBuilder(statements.selectForList.formatted(open ? statements.openIndex : ""));
        if (open) {
            condition("ended_at IS NULL");
        }
        if (filter.name() != null) {
            condition("name = ?", filter.name());
        }
        if (!filter.statuses().isEmpty()) {
            condition(
                    "status = ANY (?)",
                    filter.statuses().stream().map(SagaStatus::name).toList());
        }
        if (filter.keyPrefix() != null) {
            condition("business_key LIKE ? ESCAPE '!'", pattern(filter.keyPrefix()) + "%");
        }
        if (filter.olderThan() != null) {
            condition(statements.startedBefore, filter.olderThan());
        }
        if (filter.stuckOnly()) {
            condition("stuck <> ''");
        }
        if (filter.stuckStep() != null) {
            condition("concat(',', stuck, ',') LIKE ? ESCAPE '!'", "%," + pattern(filter.stuckStep()) + ",%");
        }
        if (filter.after() != null && before != null) {
            condition("created_at <= ? AND (created_at < ? OR id < ?)", before, before, filter.after());
        }
        sql.append(any ? "" : "1 = 1").append(" ORDER BY created_at DESC, id DESC LIMIT ?");
        values.add(filter.limit());
    }

    private void condition(String condition, Object... parameters) {
        sql.append(any ? " AND " : "").append(condition);
        values.addAll(List.of(parameters));
        any = true;
    }

    /** Escapes the characters that have a meaning in a pattern. */
    private static String pattern(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }

    String sql() {
        return sql.toString();
    }

    Object[] values() {
        return values.toArray();
    }
}

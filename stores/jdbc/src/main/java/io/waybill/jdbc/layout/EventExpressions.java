package io.waybill.jdbc.layout;

import io.waybill.Headers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parts of an event as SQL expressions over the columns of a served table. */
final class EventExpressions {
    private final ServedTable table;
    private final String id;

    /** @param id the expression for the id of the row */
    EventExpressions(ServedTable table, String id) {
        this.table = table;
        this.id = id;
    }

    /** Returns all expressions but the id, in the order of {@link LayoutSql#importRows}. */
    List<String> columns() {
        String created = created();
        return List.of(
                text("aggregate-type", "'event'"),
                // An event without a key gets its row id as key, so it is ordered with no other event.
                "coalesce(nullif(" + text("key", "''") + ", ''), CAST(" + id + " AS text))",
                type(),
                table.part("version")
                        .map(value -> "coalesce(CAST(" + value.text() + " AS integer), 1)")
                        .orElse("1"),
                topic(),
                headers(),
                created,
                created,
                payload());
    }

    private String text(String key, String otherwise) {
        return table.part(key)
                .map(value -> "CAST(" + value.text() + " AS text)")
                .orElse(otherwise);
    }

    String type() {
        return text("type", "''");
    }

    String topic() {
        return text("topic", "CAST(NULL AS text)");
    }

    String payload() {
        return "CAST(" + table.layout().required("payload").text() + " AS json)";
    }

    String headers() {
        @Nullable
        String column = table.part("headers")
                .map(value -> "nullif(CAST(" + value.text() + " AS text), '')")
                .orElse(null);
        List<String> fixed = new ArrayList<>();
        table.layout().section("header").forEach((name, value) -> {
            if (table.readable(value)) {
                fixed.add("'" + name.replace("'", "''") + "', CAST(" + value.text() + " AS text)");
            }
        });
        forRelay(fixed, "partition-key", Headers.PARTITION_KEY);
        forRelay(fixed, "max-attempts", Headers.MAX_ATTEMPTS);
        if (fixed.isEmpty()) {
            return column == null ? "CAST(NULL AS json)" : "CAST(" + column + " AS json)";
        }
        String object = "jsonb_strip_nulls(jsonb_build_object(" + String.join(", ", fixed) + "))";
        return "CAST("
                + (column == null ? object : "coalesce(CAST(" + column + " AS jsonb), '{}') || " + object)
                + " AS json)";
    }

    private void forRelay(List<String> headers, String part, String header) {
        table.part(part).ifPresent(value -> headers.add("'" + header + "', CAST(" + value.text() + " AS text)"));
    }

    /** A time without a zone is UTC. */
    String created() {
        return table.part("created")
                .map(value -> {
                    boolean zoneless = value.isColumn()
                            && table.column(value.text())
                                    .filter(column -> column.type().equals("timestamp without time zone"))
                                    .isPresent();
                    return "coalesce("
                            + (zoneless
                                    ? value.text() + " AT TIME ZONE 'UTC'"
                                    : "CAST(" + value.text() + " AS timestamptz)")
                            + ", clock_timestamp())";
                })
                .orElse("clock_timestamp()");
    }
}

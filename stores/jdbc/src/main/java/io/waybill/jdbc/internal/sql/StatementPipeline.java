package io.waybill.jdbc.internal.sql;

import static java.util.stream.Collectors.joining;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Statements that are sent in one round trip where the driver supports it, and otherwise one after the other. Each statement sees
 * the changes of the statements before it. After a statement that fails, no further one is executed. Results are read in the order
 * of the statements.
 */
public final class StatementPipeline {
    private final Sql sql;
    private final boolean pipelining;
    private final List<Step> steps = new ArrayList<>();

    /** A statement and the reader of its result. */
    private record Step(String statement, List<@Nullable Object> parameters, ResultReader reader) {}

    @FunctionalInterface
    private interface ResultReader {
        void read(PreparedStatement executed) throws SQLException;
    }

    @FunctionalInterface
    public interface RowReader {
        void read(ResultSet rows) throws SQLException;
    }

    public StatementPipeline(Sql sql) {
        this.sql = sql;
        this.pipelining = sql.dialect().supportsPipelining();
    }

    /** Adds the settings of a store transaction, where the database needs them. They must come first. */
    public void settings() {
        sql.dialect().transactionSettings().ifPresent(this::settings);
    }

    /** @param timeout see {@link Dialect#transactionSettings(Duration)} */
    public void settings(Duration timeout) {
        sql.dialect().transactionSettings(timeout).ifPresent(this::settings);
    }

    private void settings(String settings) {
        query(settings, rows -> {});
    }

    public void query(String statement, RowReader reader, @Nullable Object... parameters) {
        add(
                statement,
                executed -> {
                    try (ResultSet rows = executed.getResultSet()) {
                        reader.read(rows);
                    }
                },
                parameters);
    }

    /** @param changedRows receives the number of changed rows */
    public void update(String statement, IntConsumer changedRows, @Nullable Object... parameters) {
        add(statement, executed -> changedRows.accept(executed.getUpdateCount()), parameters);
    }

    private void add(String statement, ResultReader reader, @Nullable Object... parameters) {
        steps.add(new Step(sql.expanded(statement, parameters), Arrays.asList(parameters), reader));
    }

    public void send() throws SQLException {
        if (pipelining && !steps.isEmpty()) {
            send(steps);
            return;
        }
        for (Step step : steps) {
            send(List.of(step));
        }
    }

    /**
     * Sends the statements and, in the same round trip, the transaction's commit. The caller must still call {@link
     * java.sql.Connection#commit}: it commits where the driver sends statements one by one, and is a no-op elsewhere.
     */
    public void sendAndCommit() throws SQLException {
        if (pipelining) {
            steps.add(new Step("COMMIT", List.of(), executed -> {}));
        }
        send();
    }

    private void send(List<Step> group) throws SQLException {
        String text = group.stream().map(Step::statement).collect(joining(";\n"));
        List<@Nullable Object> parameters = new ArrayList<>();
        group.forEach(step -> parameters.addAll(step.parameters));
        try (PreparedStatement message = sql.prepareExpanded(text, parameters)) {
            message.execute();
            for (Step step : group) {
                step.reader.read(message);
                message.getMoreResults();
            }
        }
    }
}

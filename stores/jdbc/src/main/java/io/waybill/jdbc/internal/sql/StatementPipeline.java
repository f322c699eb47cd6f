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
 * Statements that go to the database together, in one round trip, where it takes them so; else one after the other. Each sees
 * what those before it did, and nothing is done after one that fails. Answers are read in the order of their questions.
 */
public final class StatementPipeline {
    private final Sql sql;
    private final boolean together;
    private final List<Part> parts = new ArrayList<>();

    /** One statement, and who reads what is said to it. */
    private record Part(String statement, List<@Nullable Object> parameters, Answer answer) {}

    @FunctionalInterface
    private interface Answer {
        void read(PreparedStatement from) throws SQLException;
    }

    @FunctionalInterface
    public interface Rows {
        void read(ResultSet rows) throws SQLException;
    }

    public StatementPipeline(Sql sql) {
        this.sql = sql;
        this.together = sql.dialect().together();
    }

    /** Has the transaction's settings come first, where the database has any. */
    public void settings() {
        sql.dialect().transactionSettings().ifPresent(this::settings);
    }

    /** @param patience see {@link Dialect#transactionSettings(Duration)} */
    public void settings(Duration patience) {
        sql.dialect().transactionSettings(patience).ifPresent(this::settings);
    }

    private void settings(String settings) {
        query(settings, rows -> {});
    }

    public void query(String statement, Rows reader, @Nullable Object... parameters) {
        add(
                statement,
                from -> {
                    try (ResultSet rows = from.getResultSet()) {
                        reader.read(rows);
                    }
                },
                parameters);
    }

    /** @param changed is told how many rows */
    public void update(String statement, IntConsumer changed, @Nullable Object... parameters) {
        add(statement, from -> changed.accept(from.getUpdateCount()), parameters);
    }

    private void add(String statement, Answer answer, @Nullable Object... parameters) {
        parts.add(new Part(sql.expanded(statement, parameters), Arrays.asList(parameters), answer));
    }

    public void send() throws SQLException {
        if (together && !parts.isEmpty()) {
            send(parts);
            return;
        }
        for (Part part : parts) {
            send(List.of(part));
        }
    }

    /**
     * Sends it with the transaction's commit, which {@link java.sql.Connection#commit} must follow all the same: that one commits
     * where statements go alone, and else finds nothing left to do.
     */
    public void sendAndCommit() throws SQLException {
        if (together) {
            parts.add(new Part("COMMIT", List.of(), from -> {}));
        }
        send();
    }

    private void send(List<Part> group) throws SQLException {
        String text = group.stream().map(Part::statement).collect(joining(";\n"));
        List<@Nullable Object> parameters = new ArrayList<>();
        group.forEach(part -> parameters.addAll(part.parameters));
        try (PreparedStatement message = sql.prepareExpanded(text, parameters)) {
            message.execute();
            for (Part part : group) {
                part.answer.read(message);
                message.getMoreResults();
            }
        }
    }
}

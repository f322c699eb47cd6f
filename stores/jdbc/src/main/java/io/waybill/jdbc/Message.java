package io.waybill.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Statements that go to the database together, in one round trip, where it takes them so; else one after the other. Each sees
 * what those before it did, and nothing is done after one that fails. Answers are read in the order of their questions.
 */
final class Message {
    private final Sql sql;
    private final Optional<Together> together;
    private final List<Part> parts = new ArrayList<>();

    /**
     * One statement.
     *
     * @param changes whether it is to be answered with a number of rows
     */
    private record Part(String statement, List<@Nullable Object> parameters, boolean changes, Answer answer) {}

    @FunctionalInterface
    private interface Answer {
        /** @param rows whether there are rows to read */
        void read(PreparedStatement from, boolean rows) throws SQLException;
    }

    @FunctionalInterface
    interface Rows {
        void read(ResultSet rows) throws SQLException;
    }

    Message(Sql sql) {
        this.sql = sql;
        this.together = sql.dialect().together();
    }

    void query(String statement, Rows reader, @Nullable Object... parameters) {
        Answer answer = (from, rows) -> {
            try (ResultSet found = from.getResultSet()) {
                reader.read(found);
            }
        };
        parts.add(new Part(sql.spelled(statement, parameters), Arrays.asList(parameters), false, answer));
    }

    /** @param changed is told how many rows */
    void update(String statement, IntConsumer changed, @Nullable Object... parameters) {
        Answer answer = (from, rows) -> changed.accept(rows ? number(from) : from.getUpdateCount());
        parts.add(new Part(sql.spelled(statement, parameters), Arrays.asList(parameters), true, answer));
    }

    private static int number(PreparedStatement from) throws SQLException {
        try (ResultSet row = from.getResultSet()) {
            row.next();
            return row.getInt(1);
        }
    }

    void send() throws SQLException {
        if (together.isPresent() && !parts.isEmpty()) {
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
    void sendAndCommit() throws SQLException {
        if (together.isPresent()) {
            parts.add(new Part("COMMIT", List.of(), false, (from, rows) -> {}));
        }
        send();
    }

    private void send(List<Part> group) throws SQLException {
        List<@Nullable Object> parameters = new ArrayList<>();
        group.forEach(part -> parameters.addAll(part.parameters));
        try (PreparedStatement message = sql.prepareSpelled(text(group), parameters)) {
            boolean rows = message.execute();
            for (Part part : group) {
                part.answer.read(message, rows);
                rows = message.getMoreResults();
            }
        }
    }

    private String text(List<Part> group) {
        if (group.size() == 1) {
            return group.get(0).statement;
        }
        Together way = together.orElseThrow();
        return way.text(group.stream()
                .map(part -> part.changes ? way.counted(part.statement) : part.statement)
                .toList());
    }
}

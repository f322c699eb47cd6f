package io.waybill.jdbc.internal.sql;

import io.waybill.envelope.JsonText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A connection with the dialect of its database: runs statements with parameters that are bound in order. */
public final class Sql {
    /** A name of a schema, table or column, as a regular expression. */
    public static final String IDENTIFIER = "(?:[A-Za-z_][A-Za-z0-9_$]*|\"[^\"]+\")";

    private static final Map<Class<?>, String> TYPES =
            Map.of(UUID.class, "uuid", Long.class, "bigint", Integer.class, "int", Boolean.class, "boolean");

    private final Connection connection;
    private final Dialect dialect;

    private Sql(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    public static Sql on(Connection connection) throws SQLException {
        return new Sql(connection, Dialect.of(connection));
    }

    /** No value, of this type: where a statement is used often, PostgreSQL shall not have to guess anew what comes. */
    public record Null(int type) {}

    @FunctionalInterface
    public interface Reader<R> {
        R read(ResultSet rows) throws SQLException;
    }

    public Dialect dialect() {
        return dialect;
    }

    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    public <R> R query(String sql, Reader<R> reader, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return reader.read(rows);
        }
    }

    public boolean exists(String sql, @Nullable Object... parameters) throws SQLException {
        return query(sql, ResultSet::next, parameters);
    }

    /** @param table its name in lower case */
    public boolean tableExists(String table) throws SQLException {
        return query(dialect.tableExists(), row -> row.next() && row.getBoolean(1), table);
    }

    /**
     * Inserts a row unless there is one with its key.
     *
     * @return whether it was inserted
     */
    public boolean insert(String sql, @Nullable Object... parameters) throws SQLException {
        try {
            return update(sql + dialect.unlessThere(), parameters) > 0;
        } catch (SQLException e) {
            if (SqlState.of(e).equals(SqlState.DUPLICATE)) {
                return false; // of the transaction, this statement alone has failed
            }
            throw e;
        }
    }

    /** Inserts a row and tells the number that the database has given it. */
    public long insertNumbered(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql, new String[] {"id"})) {
            bind(statement, Arrays.asList(parameters));
            statement.executeUpdate();
            try (ResultSet row = statement.getGeneratedKeys()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /**
     * Runs the statement once for each row of parameters.
     *
     * @return how many rows of the table were changed
     */
    public int updateEach(String sql, List<List<@Nullable Object>> rows) throws SQLException {
        int changed = 0;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (List<@Nullable Object> row : rows) {
                bind(statement, row);
                statement.addBatch();
            }
            for (int count : statement.executeBatch()) {
                changed += count == Statement.SUCCESS_NO_INFO ? 1 : count;
            }
        }
        return changed;
    }

    /**
     * A statement of ours. The address may say {@code defaultRowFetchSize}: with it, PostgreSQL's driver reads a result in parts,
     * and of several statements in one message only a part of the first.
     */
    public static PreparedStatement statement(Connection connection, String text) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        statement.setFetchSize(0);
        return statement;
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        return prepareExpanded(expanded(sql, parameters), Arrays.asList(parameters));
    }

    /** The statement with a place for each value of a list. */
    String expanded(String sql, @Nullable Object... parameters) {
        return dialect.lists().sql(sql, Arrays.asList(parameters));
    }

    PreparedStatement prepareExpanded(String expanded, List<@Nullable Object> parameters) throws SQLException {
        PreparedStatement statement = statement(connection, expanded);
        try {
            bind(statement, dialect.lists().values(parameters));
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    private void bind(PreparedStatement statement, List<? extends @Nullable Object> values) throws SQLException {
        int index = 0;
        for (Object value : values) {
            index++;
            if (value == null) {
                statement.setNull(index, Types.NULL);
            } else if (value instanceof Null none) {
                statement.setNull(index, none.type());
            } else if (value instanceof Duration duration) {
                statement.setDouble(index, duration.toNanos() / 1e9);
            } else if (value instanceof Map<?, ?> headers) {
                dialect.bind(statement, index, new JsonValue(json(headers)));
            } else if (value instanceof byte[] bytes) {
                statement.setBytes(index, bytes);
            } else if (value instanceof Collection<?> list) {
                statement.setArray(index, connection.createArrayOf(type(list), list.toArray()));
            } else {
                dialect.bind(statement, index, value);
            }
        }
    }

    private static String json(Map<?, ?> headers) {
        Map<String, String> text = new LinkedHashMap<>();
        headers.forEach((name, value) -> text.put((String) name, (String) value));
        return JsonText.object(text);
    }

    private static String type(Collection<?> list) {
        for (Object one : list) {
            if (one != null) {
                return TYPES.getOrDefault(one.getClass(), "text");
            }
        }
        return "text";
    }
}

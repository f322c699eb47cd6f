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

/** A connection with the dialect of its database. Executes statements and binds their parameters in order. */
public final class Sql {
    /** A regular expression for the name of a schema, table or column. */
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

    /** A NULL with a type from {@link Types}. It lets PostgreSQL reuse the prepared plan of a frequent statement. */
    public record TypedNull(int type) {}

    @FunctionalInterface
    public interface Reader<R> {
        R read(ResultSet rows) throws SQLException;
    }

    public Connection connection() {
        return connection;
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

    /** @param table the name in lower case */
    public boolean tableExists(String table) throws SQLException {
        return query(dialect.tableExists(), row -> row.next() && row.getBoolean(1), table);
    }

    /**
     * Inserts a row unless its key exists.
     *
     * @return whether the row was inserted
     */
    public boolean insert(String sql, @Nullable Object... parameters) throws SQLException {
        try {
            return update(sql + dialect.onConflictDoNothing(), parameters) > 0;
        } catch (SQLException e) {
            if (SqlState.of(e).equals(SqlState.UNIQUE_VIOLATION)) {
                return false; // this statement failed, and the transaction stays usable
            }
            throw e;
        }
    }

    /** Inserts a row and returns the id that the database generated for it. */
    public long insertReturningId(String sql, @Nullable Object... parameters) throws SQLException {
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
     * Executes the statement as a batch, once for each row of parameters.
     *
     * @return the number of changed rows in the table
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
     * Prepares a statement that fetches all rows at once. If the JDBC URL sets {@code defaultRowFetchSize}, PostgreSQL's driver
     * fetches a result in portions, and of several statements in one message it returns only a portion of the first result.
     */
    public static PreparedStatement statement(Connection connection, String text) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        statement.setFetchSize(0);
        return statement;
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        return prepareExpanded(expanded(sql, parameters), Arrays.asList(parameters));
    }

    /** Returns the statement with one placeholder for each bound value, see {@link ListBinding}. */
    String expanded(String sql, @Nullable Object... parameters) {
        return dialect.listBinding().sql(sql, Arrays.asList(parameters));
    }

    PreparedStatement prepareExpanded(String expanded, List<@Nullable Object> parameters) throws SQLException {
        PreparedStatement statement = statement(connection, expanded);
        try {
            bind(statement, dialect.listBinding().values(parameters));
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
            } else if (value instanceof TypedNull typed) {
                statement.setNull(index, typed.type());
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
        for (Object element : list) {
            if (element != null) {
                return TYPES.getOrDefault(element.getClass(), "text");
            }
        }
        return "text";
    }
}

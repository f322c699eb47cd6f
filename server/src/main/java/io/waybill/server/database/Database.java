package io.waybill.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.server.Exit;
import io.waybill.server.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens connections to one database and says in plain words why that, or a statement, failed. */
public final class Database {
    private static final int CONNECT_SECONDS = 5;

    /** A server that has stopped answering must not hold a thread for ever; no statement of ours takes this long. */
    private static final int ANSWER_SECONDS = 30;

    private final DatabaseAddress address;

    public Database(DatabaseAddress address) {
        this.address = address;
    }

    public DatabaseAddress address() {
        return address;
    }

    /** Connections for a command that ends soon. */
    public DataSource direct() {
        return direct(CONNECT_SECONDS, 0);
    }

    /** Connections for a question that must be answered soon or not at all. */
    public DataSource impatient(int seconds) {
        return direct(seconds, seconds);
    }

    private PGSimpleDataSource direct(int connectSeconds, int answerSeconds) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(address.jdbcUrl());
        if (address.user() != null) {
            source.setUser(address.user());
        }
        if (address.password() != null) {
            source.setPassword(address.password());
        }
        try {
            unlessGiven(source, PGProperty.APPLICATION_NAME, "waybill");
            unlessGiven(source, PGProperty.CONNECT_TIMEOUT, Integer.toString(connectSeconds));
            unlessGiven(source, PGProperty.LOGIN_TIMEOUT, Integer.toString(connectSeconds));
            unlessGiven(source, PGProperty.SOCKET_TIMEOUT, Integer.toString(answerSeconds));
            unlessGiven(source, PGProperty.TCP_KEEP_ALIVE, "true");
        } catch (SQLException e) {
            throw explain(e);
        }
        return source;
    }

    private void unlessGiven(PGSimpleDataSource source, PGProperty property, String value) throws SQLException {
        if (!address.jdbcUrl().contains(property.getName() + "=")) {
            source.setProperty(property, value);
        }
    }

    /** A pool that survives the database: it opens nothing until asked and heals by itself. */
    public HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("waybill");
        config.setDataSource(direct(CONNECT_SECONDS, ANSWER_SECONDS));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(CONNECT_SECONDS));
        config.setValidationTimeout(TimeUnit.SECONDS.toMillis(2));
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Connects once, so that what is wrong is said at once and in plain words. */
    public void knock(DataSource source) {
        try (Connection connection = source.getConnection()) {
            connection.isValid(CONNECT_SECONDS);
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** Throws with everything that is wrong with the schema. */
    public void demand(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE, "The outbox in " + address + " cannot be used: " + String.join(" ", problems));
        }
    }

    public Problem explain(Throwable failure) {
        return DatabaseTrouble.explain(failure, address);
    }
}

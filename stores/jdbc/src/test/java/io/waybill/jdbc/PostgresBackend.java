package io.waybill.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.testkit.servers.SharedServers;

/** An outbox in a new database on the PostgreSQL server of this JVM. */
public final class PostgresBackend extends JdbcBackend {
    public PostgresBackend() {
        this(JdbcQueue.OnSuccess.MARK);
    }

    public PostgresBackend(JdbcQueue.OnSuccess onSuccess) {
        this(database(SharedServers.freshDatabase(), Engine.QUEUE), onSuccess);
    }

    private PostgresBackend(HikariDataSource dataSource, JdbcQueue.OnSuccess onSuccess) {
        super(dataSource, JdbcQueue.on(dataSource, onSuccess));
    }

    private PostgresBackend(HikariDataSource dataSource) {
        super(dataSource, PostgresJournal.on(dataSource));
    }

    public static PostgresBackend journal() {
        return journal(SharedServers.freshDatabase());
    }

    /** Returns the backend of an engine, in an empty database. */
    public static PostgresBackend journal(String jdbcUrl) {
        return new PostgresBackend(database(jdbcUrl, Engine.JOURNAL));
    }

    public static PostgresBackend of(Engine engine) {
        return engine == Engine.JOURNAL ? journal() : new PostgresBackend();
    }
}

package io.waybill.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.testkit.servers.SharedServers;

/** A fresh database on this JVM's PostgreSQL. */
final class PostgresBackend extends JdbcBackend {
    PostgresBackend() {
        this(JdbcQueue.OnSuccess.MARK);
    }

    PostgresBackend(JdbcQueue.OnSuccess onSuccess) {
        this(database(SharedServers.freshDatabase(), Engine.QUEUE), onSuccess);
    }

    private PostgresBackend(HikariDataSource dataSource, JdbcQueue.OnSuccess onSuccess) {
        super(dataSource, JdbcQueue.on(dataSource, onSuccess));
    }

    private PostgresBackend(HikariDataSource dataSource) {
        super(dataSource, PostgresJournal.on(dataSource));
    }

    static PostgresBackend journal() {
        return journal(SharedServers.freshDatabase());
    }

    /** In an empty database. */
    static PostgresBackend journal(String jdbcUrl) {
        return new PostgresBackend(database(jdbcUrl, Engine.JOURNAL));
    }

    static PostgresBackend of(Engine engine) {
        return engine == Engine.JOURNAL ? journal() : new PostgresBackend();
    }
}

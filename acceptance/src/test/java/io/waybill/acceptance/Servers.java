package io.waybill.acceptance;

import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** Where a scenario runs: an empty database, and a broker. */
record Servers(String jdbcUrl, String bootstrapServers) {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    /** A database and the broker that all tests share; nobody may break them. */
    static Servers shared() {
        return on(SharedServers.postgres());
    }

    /** A database on the given server, and the broker that all tests share. */
    static Servers on(LocalPostgres postgres) {
        return new Servers(database(postgres), SharedServers.kafka().bootstrapServers());
    }

    /** A database on the server that all tests share, and the given broker. */
    static Servers on(String bootstrapServers) {
        return new Servers(database(SharedServers.postgres()), bootstrapServers);
    }

    private static String database(LocalPostgres postgres) {
        String name = "acceptance_" + DATABASES.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot create database " + name, e);
        }
        return postgres.jdbcUrl(name);
    }
}

package io.waybill.jdbc;

import io.waybill.embedded.LocalMySql.Driver;
import io.waybill.embedded.LocalServer;
import io.waybill.testkit.servers.SharedServers;

/** The databases whose tables are InnoDB's. */
public enum InnoDb {
    MARIADB {
        @Override
        public JdbcBackend queue() {
            return MariaDbDatabase.queue();
        }

        @Override
        String freshForMariaDbDriver() {
            return SharedServers.freshMariaDb();
        }

        @Override
        LocalServer server() {
            return SharedServers.mariaDb();
        }
    },
    MYSQL {
        @Override
        public JdbcBackend queue() {
            return MySqlDatabase.queue();
        }

        @Override
        String freshForMariaDbDriver() {
            return SharedServers.freshMySql(Driver.MARIADB);
        }

        @Override
        LocalServer server() {
            return SharedServers.mySql();
        }
    };

    /** The queue engine in a fresh database, through the database's own driver. */
    public abstract JdbcBackend queue();

    /** The address of an empty database, for the driver that the program has. */
    abstract String freshForMariaDbDriver();

    abstract LocalServer server();
}

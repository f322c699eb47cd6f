package io.waybill.jdbc;

import io.waybill.testkit.servers.SharedServers;

/** Fresh databases on this JVM's MariaDB. */
final class MariaDbDatabase {
    private MariaDbDatabase() {}

    static JdbcBackend queue() {
        return JdbcBackend.queue(SharedServers.freshMariaDb());
    }

    static InboxJdbcBackend inbox() {
        return new InboxJdbcBackend(queue(), "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY");
    }
}

package io.waybill.jdbc;

import io.waybill.jdbc.inbox.InboxJdbcBackend;
import io.waybill.testkit.servers.SharedServers;

/** Creates empty databases on the MariaDB server of this JVM. */
public final class MariaDbDatabase {
    private MariaDbDatabase() {}

    public static JdbcBackend queue() {
        return JdbcBackend.queue(SharedServers.freshMariaDb());
    }

    public static InboxJdbcBackend inbox() {
        return new InboxJdbcBackend(queue(), "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY");
    }
}

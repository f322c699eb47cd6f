package io.waybill.jdbc;

import io.waybill.embedded.LocalMySql.Driver;
import io.waybill.jdbc.inbox.InboxJdbcBackend;
import io.waybill.testkit.servers.SharedServers;

/** Fresh databases on this JVM's MySQL, through MySQL's own driver. */
public final class MySqlDatabase {
    private MySqlDatabase() {}

    public static JdbcBackend queue() {
        return JdbcBackend.queue(SharedServers.freshMySql(Driver.CONNECTOR_J));
    }

    public static InboxJdbcBackend inbox() {
        return new InboxJdbcBackend(queue(), "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY");
    }
}

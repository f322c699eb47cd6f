package io.waybill.jdbc;

import io.waybill.embedded.DebianServer;
import io.waybill.embedded.LocalMariaDb;
import io.waybill.jdbc.inbox.InboxJdbcBackend;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;
import io.waybill.testkit.inbox.ShortInboxContract;
import io.waybill.testkit.servers.NotRun;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.store.OperatorContract;
import io.waybill.testkit.store.RecoveryContract;
import io.waybill.testkit.store.ShortStoreContract;
import io.waybill.testkit.store.StoreBackend;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The contracts of the queue engine and of the inbox on the oldest MariaDB that Waybill supports. */
class MariaDb1011Test {
    @TempDir
    static Path folder;

    private static LocalMariaDb server;

    @BeforeAll
    static void start() {
        DebianServer.MARIADB_10_11.obstacle().ifPresent(NotRun::because);
        server = LocalMariaDb.start(folder, DebianServer.MARIADB_10_11.home().resolve("usr"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.discard();
        }
    }

    private static JdbcBackend queue() {
        return JdbcBackend.queue(SharedServers.freshMariaDb(server));
    }

    private static InboxBackend<Connection> openInbox() {
        return new InboxJdbcBackend(queue(), "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY");
    }

    @Nested
    class QueueStore extends ShortStoreContract {
        @Override
        protected StoreBackend open() {
            return queue();
        }
    }

    @Nested
    class QueueRecovery extends RecoveryContract {
        @Override
        protected StoreBackend open() {
            return queue();
        }
    }

    @Nested
    class QueueOperator extends OperatorContract {
        @Override
        protected StoreBackend open() {
            return queue();
        }
    }

    @Nested
    class InboxStore extends ShortInboxContract<Connection> {
        @Override
        protected InboxBackend<Connection> open() {
            return openInbox();
        }
    }

    @Nested
    class InboxOperator extends InboxOperatorContract<Connection> {
        @Override
        protected InboxBackend<Connection> open() {
            return openInbox();
        }
    }
}

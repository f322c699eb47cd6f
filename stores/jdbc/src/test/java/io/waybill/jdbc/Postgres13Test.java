package io.waybill.jdbc;

import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.inbox.InboxJdbcBackend;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;
import io.waybill.testkit.inbox.ShortInboxContract;
import io.waybill.testkit.servers.PostgresVersion;
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

/** The contracts of both engines and of the inbox on the oldest PostgreSQL that Waybill supports. */
class Postgres13Test {
    @TempDir
    static Path folder;

    private static LocalPostgres server;

    @BeforeAll
    static void start() {
        server = PostgresVersion.V13.builder(folder).start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.discard();
        }
    }

    private static StoreBackend journal() {
        return PostgresBackend.journal(SharedServers.freshDatabase(server));
    }

    private static JdbcBackend queue() {
        return JdbcBackend.queue(SharedServers.freshDatabase(server));
    }

    private static InboxBackend<Connection> openInbox() {
        return new InboxJdbcBackend(queue(), "bigint GENERATED ALWAYS AS IDENTITY");
    }

    @Nested
    class JournalStore extends ShortStoreContract {
        @Override
        protected StoreBackend open() {
            return journal();
        }
    }

    @Nested
    class JournalRecovery extends RecoveryContract {
        @Override
        protected StoreBackend open() {
            return journal();
        }
    }

    @Nested
    class JournalOperator extends OperatorContract {
        @Override
        protected StoreBackend open() {
            return journal();
        }
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

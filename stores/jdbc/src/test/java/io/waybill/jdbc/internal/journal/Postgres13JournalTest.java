package io.waybill.jdbc.internal.journal;

import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.PostgresBackend;
import io.waybill.testkit.servers.PostgresVersion;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** How the journal uses transaction numbers and sequences, on the oldest PostgreSQL that Waybill supports. */
class Postgres13JournalTest {
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

    private static PostgresBackend onServer() {
        return PostgresBackend.journal(SharedServers.freshDatabase(server));
    }

    @Nested
    class Assumptions extends JournalAssumptionsTest {
        @Override
        PostgresBackend journal() {
            return onServer();
        }
    }

    @Nested
    class Rebase extends RebaseTest {
        @Override
        PostgresBackend journal() {
            return onServer();
        }
    }

    @Nested
    class Windows extends JournalWindowTest {
        @Override
        PostgresBackend journal() {
            return onServer();
        }
    }
}

package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What differs between databases is the business of the dialects. The few others that ask which one it is are named here. */
class DatabaseDecisionsTest {
    private static final Pattern DECISION = Pattern.compile(
            "setBased\\(|DatabaseProduct\\.(?!of|values)[A-Z0-9]+|case (POSTGRESQL|MARIADB|MYSQL|H2)\\b|[!=]= *(POSTGRESQL|MARIADB|MYSQL|H2)\\b");

    private static final Set<String> WHERE_IT_BELONGS = Set.of(
            "jdbc/DatabaseProduct", "jdbc/Dialect", "jdbc/PostgresDialect", "jdbc/MariaDbDialect", "jdbc/H2Dialect");

    private static final Set<String> ALSO = Set.of(
            // One statement for a whole batch, with arrays, or a batch of statements.
            "jdbc/QueueClaims",
            "jdbc/QueueSettlement",
            // A method without the argument means PostgreSQL.
            "server/cli/KnownDatabase",
            // Layouts are served on PostgreSQL alone.
            "server/database/OutboxTables",
            // A schema of its own for each contestant is made in three ways.
            "bench/contest/Schema",
            // The program: how an address is read, which driver connects, which check the doctor makes, which shell is
            // shown.
            "server/database/DatabaseAddress",
            "server/database/Database",
            "server/doctor/DatabaseDoctor",
            "server/cli/Welcome");

    @Test
    void nobodyElseAsksWhichDatabaseItIs() throws IOException {
        Set<String> deciding = deciding();
        deciding.removeAll(WHERE_IT_BELONGS);
        assertThat(deciding).containsExactlyInAnyOrderElementsOf(ALSO);
    }

    private static Set<String> deciding() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            return files.filter(file -> file.toString().contains("/src/main/java/io/waybill/"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/target/")
                            && !file.toString().contains("/.waybill/"))
                    .filter(DatabaseDecisionsTest::decides)
                    .map(file -> file.toString().replaceFirst(".*/src/main/java/io/waybill/(.*)\\.java", "$1"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static boolean decides(Path file) {
        try {
            return DECISION.matcher(Files.readString(file)).find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

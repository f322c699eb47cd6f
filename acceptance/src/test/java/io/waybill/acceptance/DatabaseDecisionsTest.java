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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What differs between databases is the business of the dialects: a new database is a dialect, and nobody else notices. All others
 * ask what a database can do, never which one it is.
 */
class DatabaseDecisionsTest {
    private static final String CONSTANT = "(POSTGRESQL|MARIADB|MYSQL|H2)\\b";

    private static final String NAME = "(?i:postgres(ql)?|mariadb|mysql|h2)";

    private static final Pattern DECISION = Pattern.compile(String.join(
            "|",
            // a constant of an enum of databases, wherever it is used
            "\\b[A-Z]\\w*\\." + CONSTANT,
            "case " + CONSTANT,
            "[!=]= *" + CONSTANT,
            CONSTANT + " *[!=]=",
            // the name of one, or the beginning of its address, compared with what came
            "\"(jdbc:)?" + NAME + ":?\"\\s*\\.\\s*equals",
            "(equals|equalsIgnoreCase|startsWith|contains|matches)\\(\\s*\"(jdbc:)?" + NAME + "\\b",
            "case \"" + NAME + "\"",
            // a method or variable that says which one it is
            "\\b(is|on)(Postgres(ql|QL)?|MariaDb|MariaDB|MySql|MySQL|H2)\\b",
            // a class of one, asked for
            "instanceof \\w*(Postgres|PSQL|PG|MariaDb|MySql|H2)\\w*"));

    private static final Pattern WHERE_IT_BELONGS = Pattern.compile(String.join(
            "|",
            "jdbc/(\\w*Dialect|DatabaseProduct)",
            // The program's: how an address is read, what connects, what the doctor asks.
            "server/database/\\w+(Access|Check)",
            // The benchmarks'.
            "bench/contest/Base"));

    @Test
    void nobodyElseAsksWhichDatabaseItIs() throws IOException {
        Set<String> deciding = deciding();
        deciding.removeIf(WHERE_IT_BELONGS.asMatchPredicate());
        assertThat(deciding).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "if (product == DatabaseProduct.MARIADB) {",
                "if (POSTGRESQL == product) {",
                "case H2 -> h2();",
                "if (base != Base.POSTGRESQL) {",
                "if (isPostgres(connection)) {",
                "if (servers.onPostgres()) {",
                "if (\"postgresql\".equals(product.label())) {",
                "name.equals(\"PostgreSQL\")",
                "url.startsWith(\"jdbc:postgresql:\")",
                "url.contains(\"mariadb\")",
                "case \"h2\" -> h2();",
                "failure instanceof PSQLException",
                "dialect instanceof MariaDbDialect"
            })
    void aQuestionIsRecognised(String line) {
        assertThat(DECISION.matcher(line).find()).isTrue();
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

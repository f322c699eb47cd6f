package io.waybill.spring;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.InboxSchema;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.spring.WaybillProperties.Schema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Checks or creates the tables before anything uses them, and says exactly what to do when they are not as they should be. */
final class SchemaAtStart {
    private static final String CHOICES = """
            Do one of these:
            - Set waybill.schema=apply: the application creates them when it starts.
            - With Flyway, add %s to spring.flyway.locations.
            - Run ./waybill %s --database <your JDBC URL> from a clone of Waybill.
            - Give this SQL to your migration tool:

            %s""";

    private final DataSource dataSource;
    private final Schema schema;
    private final @Nullable Engine wanted;

    /** @param wanted the engine that is configured, if any */
    SchemaAtStart(DataSource dataSource, Schema schema, @Nullable Engine wanted) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.wanted = wanted;
    }

    void outbox() {
        if (schema == Schema.NONE) {
            return;
        }
        requirePostgres();
        if (schema == Schema.APPLY && OutboxSchema.engine(dataSource).isEmpty()) {
            OutboxSchema.apply(dataSource, wanted == null ? Engine.JOURNAL : wanted);
        }
        Engine engine = engine();
        demand(
                OutboxSchema.problems(dataSource, engine),
                OutboxSchema.engine(dataSource).isEmpty(),
                () -> CHOICES.formatted(
                        "classpath:waybill/flyway/" + engine.label(), "schema apply", bare(OutboxSchema.sql(engine))));
    }

    void inbox() {
        if (schema == Schema.APPLY) {
            InboxSchema.apply(dataSource);
        } else if (schema == Schema.CHECK) {
            List<String> problems = InboxSchema.problems(dataSource);
            boolean missing = !problems.isEmpty() && problems.get(0).contains("do not exist");
            demand(
                    problems,
                    missing,
                    () -> CHOICES.formatted(
                            "classpath:waybill/flyway/inbox", "inbox schema apply", bare(InboxSchema.sql())));
        }
    }

    /** The engine of the tables; what is configured when there are none. */
    Engine engine() {
        return wanted != null ? wanted : OutboxSchema.engine(dataSource).orElse(Engine.JOURNAL);
    }

    private void requirePostgres() {
        String product;
        try (Connection connection = dataSource.getConnection()) {
            product = connection.getMetaData().getDatabaseProductName();
        } catch (SQLException e) {
            throw new StartFailure(
                    "Waybill cannot reach the database of its outbox: " + e.getMessage(),
                    "Check that it runs, and spring.datasource.url, username and password.");
        }
        if (!"PostgreSQL".equals(product)) {
            throw new StartFailure(
                    "The DataSource is a " + product + ", and Waybill's outbox needs PostgreSQL 13 or newer.",
                    "Point spring.datasource.url to PostgreSQL, in tests as well; or set waybill.enabled=false where no events"
                            + " are wanted.");
        }
    }

    private static void demand(List<String> problems, boolean missing, Supplier<String> choices) {
        if (problems.isEmpty()) {
            return;
        }
        String all = String.join(System.lineSeparator(), problems);
        throw missing
                ? new StartFailure(
                        "Waybill's tables do not exist in the database (looked along search_path).", choices.get())
                : new StartFailure(
                        all,
                        "Then start again. waybill.schema=none skips this check; nothing will work better for it.");
    }

    /** A failure report is no place for the comments. */
    private static String bare(String sql) {
        return sql.lines()
                .map(line -> line.replaceFirst("\\s*--.*$", ""))
                .filter(line -> !line.isBlank())
                .collect(Collectors.joining(System.lineSeparator()));
    }
}

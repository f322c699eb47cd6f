package io.waybill.spring.internal.start;

import io.waybill.WaybillException;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.spring.WaybillProperties.Schema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Checks or creates the tables before they are used, and reports the remedies when they are missing or wrong. */
public final class SchemaAtStart {
    private static final String CHOICES = """
            Do one of these:
            - Set waybill.schema=apply: the application creates the tables when it starts.
            %s- Run ./waybill %s --database <your JDBC URL> from a clone of Waybill.
            - Give this SQL to your migration tool:

            %s""";

    private final DataSource dataSource;
    private final Schema schema;
    private final @Nullable Engine wanted;

    /** @param wanted the engine that is configured, if any */
    public SchemaAtStart(DataSource dataSource, Schema schema, @Nullable Engine wanted) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.wanted = wanted;
    }

    public void outbox() {
        if (schema == Schema.NONE) {
            return;
        }
        DatabaseProduct product = product();
        if (wanted != null && !product.engines().contains(wanted)) {
            throw new StartFailure(
                    "waybill.engine is " + wanted.label() + ", which needs PostgreSQL, and the DataSource is a "
                            + product.title() + ".",
                    "Leave waybill.engine out: the tables are then created for the engine that " + product.title()
                            + " has.");
        }
        if (schema == Schema.APPLY && OutboxSchema.engine(dataSource).isEmpty()) {
            OutboxSchema.apply(dataSource, wanted == null ? defaultEngine(product) : wanted);
        }
        Engine engine = engine();
        requireNone(
                OutboxSchema.problems(dataSource, engine),
                OutboxSchema.engine(dataSource).isEmpty(),
                () -> choices(product, engine.label(), "schema apply", OutboxSchema.sql(product, engine)));
    }

    public void inbox() {
        component(InboxSchema::apply, InboxSchema::problems, "inbox", "inbox schema apply", InboxSchema::sql);
    }

    /** The tables of the saga engine and of participants. */
    public void sagas() {
        component(SagaSchema::apply, SagaSchema::problems, "saga", "sagas schema apply", SagaSchema::sql);
    }

    private void component(
            Consumer<DataSource> apply,
            Function<DataSource, List<String>> check,
            String part,
            String command,
            Function<DatabaseProduct, String> sql) {
        if (schema == Schema.APPLY) {
            apply.accept(dataSource);
        } else if (schema == Schema.CHECK) {
            List<String> problems = check.apply(dataSource);
            boolean missing = !problems.isEmpty() && problems.get(0).contains("do not exist");
            requireNone(problems, missing, () -> {
                DatabaseProduct product = product();
                return choices(product, part, command, sql.apply(product));
            });
        }
    }

    /** Returns the configured engine, or that of the tables, or the database's default when there are no tables. */
    public Engine engine() {
        return wanted != null ? wanted : OutboxSchema.engine(dataSource).orElseGet(() -> defaultEngine(product()));
    }

    private static Engine defaultEngine(DatabaseProduct product) {
        return product.engines().get(0);
    }

    private DatabaseProduct product() {
        try (Connection connection = dataSource.getConnection()) {
            return DatabaseProduct.of(connection);
        } catch (SQLException e) {
            throw new StartFailure(
                    "Waybill cannot reach the database of its outbox: " + e.getMessage(),
                    "Check that it runs, and spring.datasource.url, username and password.");
        } catch (WaybillException unknown) {
            throw new StartFailure(
                    "The DataSource cannot hold Waybill's outbox. " + unknown.getMessage(),
                    "Point spring.datasource.url to one of them; or set waybill.enabled=false if this application needs no events.");
        }
    }

    /** @param part folder of Waybill's Flyway migrations, which exist for PostgreSQL */
    private static String choices(DatabaseProduct product, String part, String command, String sql) {
        String location = "waybill/flyway/" + part;
        boolean flyway = product.engines().contains(Engine.JOURNAL);
        return CHOICES.formatted(
                flyway ? "- With Flyway, add classpath:" + location + " to spring.flyway.locations.\n" : "",
                command,
                withoutComments(sql));
    }

    private static void requireNone(List<String> problems, boolean missing, Supplier<String> choices) {
        if (problems.isEmpty()) {
            return;
        }
        String all = String.join(System.lineSeparator(), problems);
        throw missing
                ? new StartFailure("Waybill's tables do not exist in the database.", choices.get())
                : new StartFailure(
                        all,
                        "Correct this, then start again. waybill.schema=none skips this check, but does not correct the tables.");
    }

    /** Removes the comments, which would hide the statements in a failure report. */
    private static String withoutComments(String sql) {
        return sql.lines()
                .map(line -> line.replaceFirst("\\s*--.*$", ""))
                .filter(line -> !line.isBlank())
                .collect(Collectors.joining(System.lineSeparator()));
    }
}

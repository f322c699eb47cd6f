package io.waybill.server.cli.schema;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.cli.command.Command;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The tables of a component that stand beside those of the outbox, and the commands that print, create and check them.
 *
 * @param title the name of the component at the beginning of a sentence, as in "Inbox"
 * @param grants the grants for the roles of the component, with example names
 */
public record ComponentTables(
        String title,
        int version,
        Function<DatabaseProduct, String> sql,
        Function<DatabaseProduct, List<String>> grants,
        Consumer<DataSource> create,
        Function<DataSource, List<String>> problems) {
    private static final Set<String> SETTINGS = Set.of("database", "data-dir");

    /** Connects, and throws a {@link Problem} that lists the problems of the tables, unless there are none. */
    public DataSource open(OutboxDatabase database) {
        DataSource source = database.direct();
        database.ping(source);
        require(database, source);
        return source;
    }

    private void require(OutboxDatabase database, DataSource source) {
        List<String> found = problems.apply(source);
        if (!found.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE,
                    "The tables of " + name() + " in " + database.address() + " cannot be used: "
                            + String.join(" ", found));
        }
    }

    private String name() {
        return Character.toLowerCase(title.charAt(0)) + title.substring(1);
    }

    /** {@code schema print}. */
    public abstract static class Print extends Command {
        private final ComponentTables tables;

        @Option(
                names = "--database",
                paramLabel = "KIND",
                description = KnownDatabase.OPTION,
                completionCandidates = KnownDatabase.Names.class)
        private @Nullable String kind;

        @Option(names = "--grants", description = "Print the grants for the roles instead of the tables.")
        private boolean grants;

        protected Print(ComponentTables tables) {
            this.tables = tables;
        }

        @Override
        protected final Set<String> settings() {
            return Set.of();
        }

        @Override
        protected final Exit run() {
            DatabaseProduct product = KnownDatabase.named(kind);
            if (grants) {
                output().line("-- " + product.title() + ". Replace the roles with your own.");
                tables.grants.apply(product).forEach(output()::line);
            } else {
                output().line(tables.sql.apply(product).stripTrailing());
            }
            return Exit.OK;
        }
    }

    /** {@code schema apply}. */
    public abstract static class Apply extends Command {
        private final ComponentTables tables;

        protected Apply(ComponentTables tables) {
            this.tables = tables;
        }

        @Override
        protected final Set<String> settings() {
            return SETTINGS;
        }

        @Override
        protected final Exit run() {
            OutboxDatabase database = database().creating();
            DataSource source = database.direct();
            database.ping(source);
            tables.create.accept(source);
            tables.require(database, source);
            output().line(tables.title + " schema version " + tables.version + " is in place in " + database.address()
                    + ".");
            return Exit.OK;
        }
    }

    /** {@code schema check}. */
    public abstract static class Check extends Command {
        private final ComponentTables tables;

        protected Check(ComponentTables tables) {
            this.tables = tables;
        }

        @Override
        protected final Set<String> settings() {
            return SETTINGS;
        }

        @Override
        protected final Exit run() {
            OutboxDatabase database = database();
            tables.open(database);
            output().line("The " + tables.name() + " schema in " + database.address() + " is valid: version "
                    + tables.version + ".");
            return Exit.OK;
        }
    }
}

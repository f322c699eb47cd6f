package io.waybill.server.cli.schema;

import io.waybill.server.cli.command.Command;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.SchemaText;
import io.waybill.server.database.StoredPart;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The tables of a component that stand beside those of the outbox, and the commands that print, create and check them.
 *
 * @param title the name of the component at the beginning of a sentence, as in "Inbox"
 * @param <T> what operators use
 */
public record ComponentTables<T>(
        String title, Function<OutboxDatabase, StoredPart<T>> part, Function<DatabaseAccess, SchemaText> schema) {
    private static final Set<String> SETTINGS = Set.of("database", "data-dir");

    /** Connects, and throws a {@link Problem} that lists the problems of the tables, unless there are none. */
    public StoredPart<T> requireValid(OutboxDatabase database) {
        StoredPart<T> stored = part.apply(database);
        List<String> found = stored.problems();
        if (!found.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE,
                    "The tables of " + name() + " in " + database.address() + " cannot be used: "
                            + String.join(" ", found));
        }
        return stored;
    }

    private String name() {
        return Character.toLowerCase(title.charAt(0)) + title.substring(1);
    }

    /** {@code schema print}. */
    public abstract static class Print extends Command {
        private final ComponentTables<?> tables;

        @Option(
                names = "--database",
                paramLabel = "KIND",
                description = KnownDatabase.OPTION,
                completionCandidates = KnownDatabase.Names.class)
        private @Nullable String kind;

        @Option(names = "--grants", description = "Print the grants for the roles instead of the tables.")
        private boolean grants;

        protected Print(ComponentTables<?> tables) {
            this.tables = tables;
        }

        @Override
        protected final Set<String> settings() {
            return Set.of();
        }

        @Override
        protected final Exit run() {
            SchemaText schema = tables.schema.apply(KnownDatabase.named(kind));
            if (grants) {
                schema.grants().forEach(output()::line);
            } else {
                output().line(schema.script().stripTrailing());
            }
            return Exit.OK;
        }
    }

    /** {@code schema apply}. */
    public abstract static class Apply extends Command {
        private final ComponentTables<?> tables;

        protected Apply(ComponentTables<?> tables) {
            this.tables = tables;
        }

        @Override
        protected final Set<String> settings() {
            return SETTINGS;
        }

        @Override
        protected final Exit run() {
            OutboxDatabase database = database().creating();
            tables.part.apply(database).create();
            int version = tables.requireValid(database).version();
            output().line(tables.title + " schema version " + version + " is in place in " + database.address() + ".");
            return Exit.OK;
        }
    }

    /** {@code schema check}. */
    public abstract static class Check extends Command {
        private final ComponentTables<?> tables;

        protected Check(ComponentTables<?> tables) {
            this.tables = tables;
        }

        @Override
        protected final Set<String> settings() {
            return SETTINGS;
        }

        @Override
        protected final Exit run() {
            OutboxDatabase database = database();
            int version = tables.requireValid(database).version();
            output().line("The " + tables.name() + " schema in " + database.address() + " is valid: version " + version
                    + ".");
            return Exit.OK;
        }
    }
}

package io.waybill.server.cli;

import io.waybill.jdbc.PostgresSchema;
import io.waybill.server.Exit;
import io.waybill.server.Problem;
import io.waybill.server.database.Database;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@CommandLine.Command(
        name = "schema",
        description = "Print, create or check the outbox tables.",
        synopsisSubcommandLabel = "print|apply|check",
        subcommands = {SchemaCommand.Print.class, SchemaCommand.Apply.class, SchemaCommand.Check.class})
final class SchemaCommand extends Command {
    @Override
    Set<String> settings() {
        return Set.of();
    }

    @Override
    Exit run() {
        throw new ParameterException(
                spec().commandLine(), "Say what to do: schema print, schema apply or schema check");
    }

    @CommandLine.Command(
            name = "print",
            description = "Print the schema as plain SQL, for people and migration tools. Connects to nothing.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill schema print > V1__waybill.sql"})
    static final class Print extends Command {
        @Option(
                names = "--database",
                paramLabel = "postgresql",
                description = "The kind of database, or an address of one (default: postgresql).")
        private @Nullable String kind;

        @Override
        Set<String> settings() {
            return Set.of();
        }

        @Override
        Exit run() {
            if (kind != null && !kind.matches("(jdbc:)?postgres(ql)?(:.*)?")) {
                throw Problem.usage("There is no schema for '" + kind + "'. Known: postgresql.");
            }
            output().line(PostgresSchema.sql().stripTrailing());
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "apply",
            description = "Create what is missing of the schema; harmless when it is there.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill schema apply --database jdbc:postgresql://localhost/shop --database-user shop"})
    static final class Apply extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        Exit run() {
            Database database = database();
            DataSource source = database.direct();
            database.knock(source);
            PostgresSchema.apply(source);
            database.demand(PostgresSchema.problems(source));
            if (json.wanted()) {
                output().json(Json.object()
                        .put("database", database.address().place())
                        .put("schemaVersion", PostgresSchema.VERSION));
            } else {
                output().line("Schema version " + PostgresSchema.VERSION + " is in place in " + database.address()
                        + ".");
            }
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "check",
            description = "Check that the schema is there and fits this version. Exit code 3 when it does not.")
    static final class Check extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        Exit run() {
            Database database = database();
            DataSource source = database.direct();
            database.knock(source);
            List<String> problems = PostgresSchema.problems(source);
            if (json.wanted()) {
                var result = Json.object()
                        .put("database", database.address().place())
                        .put("schemaVersion", PostgresSchema.VERSION)
                        .put("ok", problems.isEmpty());
                problems.forEach(result.putArray("problems")::add);
                output().json(result);
                return problems.isEmpty() ? Exit.OK : Exit.DATABASE;
            }
            database.demand(problems);
            output().line("The schema in " + database.address() + " is right: version " + PostgresSchema.VERSION + ".");
            return Exit.OK;
        }
    }
}

package io.waybill.server.cli.schema;

import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.SchemaText;
import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "schema",
        description = "Print, create, check or change the outbox tables.",
        synopsisSubcommandLabel = "print|apply|check|migrate|lanes|rebase",
        subcommands = {
            SchemaCommand.Print.class,
            SchemaCommand.Apply.class,
            SchemaCommand.Check.class,
            SchemaMigrateCommand.class,
            SchemaLanesCommand.class,
            SchemaRebaseCommand.class
        })
public final class SchemaCommand extends CommandGroup {
    @CommandLine.Command(
            name = "print",
            description = "Print the schema as plain SQL, for example for a migration tool. Does not connect.",
            footerHeading = "%nExample:%n",
            footer = {
                "  ./waybill schema print > V1__waybill.sql",
                "  ./waybill schema print --grants --engine queue     grants for roles that do not own the tables"
            })
    static final class Print extends Command {
        @Option(
                names = "--database",
                paramLabel = "KIND",
                description = KnownDatabase.OPTION,
                completionCandidates = KnownDatabase.Names.class)
        private @Nullable String kind;

        @Option(
                names = "--grants",
                description = "Print the grants for services, relays and operators instead of the tables.")
        private boolean grants;

        @Override
        protected Set<String> settings() {
            return Set.of("engine", "layout");
        }

        @Override
        protected Exit run() {
            SchemaText schema = KnownDatabase.named(kind).outboxSchema(configuration());
            output().line(
                            grants
                                    ? String.join("\n", schema.grants())
                                    : schema.script().stripTrailing());
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "apply",
            description = "Create missing tables. No-op if the schema is complete.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill schema apply --database jdbc:postgresql://localhost/shop --database-user shop"})
    static final class Apply extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            OutboxTables tables = database().creating().outbox(configuration());
            tables.create();
            tables.requireValid();
            if (json.wanted()) {
                output().json(Json.object()
                        .put("database", database().address().place())
                        .put("schemaVersion", tables.version())
                        .put("engine", tables.engine().label()));
            } else {
                output().line("Schema version " + tables.version() + ", " + tables.title() + ", is in place in "
                        + database().address() + ".");
            }
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "check",
            description = {
                "Check that the tables exist, match this version, and meet the assumptions of a relay.",
                "Exits with 3 if not."
            })
    static final class Check extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            OutboxTables tables = tables();
            List<String> problems = tables.relayProblems();
            if (json.wanted()) {
                var result = Json.object()
                        .put("database", database().address().place())
                        .put("schemaVersion", tables.version())
                        .put("engine", tables.engine().label())
                        .put("ok", problems.isEmpty());
                problems.forEach(result.putArray("problems")::add);
                output().json(result);
                return problems.isEmpty() ? Exit.OK : Exit.DATABASE;
            }
            tables.requireValidForRelay();
            output().line("The schema in " + database().address() + " is valid: version " + tables.version() + ", "
                    + tables.engine().label() + " engine.");
            return Exit.OK;
        }
    }
}

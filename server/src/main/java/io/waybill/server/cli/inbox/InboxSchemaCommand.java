package io.waybill.server.cli.inbox;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.inbox.InboxRole;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.schema.KnownDatabase;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.problem.Exit;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "schema",
        description = "Print, create or check the inbox tables.",
        synopsisSubcommandLabel = "print|apply|check",
        subcommands = {InboxSchemaCommand.Print.class, InboxSchemaCommand.Apply.class, InboxSchemaCommand.Check.class})
final class InboxSchemaCommand extends CommandGroup {
    @CommandLine.Command(
            name = "print",
            description = "Print the inbox schema as plain SQL, for example for a migration tool. Does not connect.")
    static final class Print extends Command {
        @Option(
                names = "--database",
                paramLabel = "KIND",
                description = KnownDatabase.OPTION,
                completionCandidates = KnownDatabase.Names.class)
        private @Nullable String kind;

        @Option(names = "--grants", description = "Print the grants for consumers and operators instead of the tables.")
        private boolean grants;

        @Override
        protected Set<String> settings() {
            return Set.of();
        }

        @Override
        protected Exit run() {
            DatabaseProduct product = KnownDatabase.named(kind);
            if (grants) {
                output().line("-- " + product.title() + ". Replace the roles with your own.");
                InboxRole.CONSUMER.grants(product, "shop_consumer").forEach(output()::line);
                InboxRole.OPERATOR.grants(product, "shop_operator").forEach(output()::line);
            } else {
                output().line(InboxSchema.sql(product).stripTrailing());
            }
            return Exit.OK;
        }
    }

    @CommandLine.Command(name = "apply", description = "Create the inbox tables. No-op if they exist.")
    static final class Apply extends Command {
        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            OutboxDatabase database = database().creating();
            DataSource source = database.direct();
            database.ping(source);
            InboxSchema.apply(source);
            InboxAccess.requireNone(database, InboxSchema.problems(source));
            output().line("Inbox schema version " + InboxSchema.VERSION + " is in place in " + database.address()
                    + ".");
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "check",
            description = "Check that the inbox tables exist and match this version. Exits with 3 if not.")
    static final class Check extends Command {
        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            OutboxDatabase database = database();
            InboxAccess.open(database);
            output().line("The inbox schema in " + database.address() + " is valid: version " + InboxSchema.VERSION
                    + ".");
            return Exit.OK;
        }
    }
}

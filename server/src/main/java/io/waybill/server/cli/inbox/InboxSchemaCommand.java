package io.waybill.server.cli.inbox;

import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.schema.ComponentTables;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxDatabase;
import picocli.CommandLine;

@CommandLine.Command(
        name = "schema",
        description = "Print, create or check the inbox tables.",
        synopsisSubcommandLabel = "print|apply|check",
        subcommands = {InboxSchemaCommand.Print.class, InboxSchemaCommand.Apply.class, InboxSchemaCommand.Check.class})
final class InboxSchemaCommand extends CommandGroup {
    static final ComponentTables<InboxOperations> TABLES =
            new ComponentTables<>("Inbox", OutboxDatabase::inbox, DatabaseAccess::inboxSchema);

    @CommandLine.Command(
            name = "print",
            description = "Print the inbox schema as plain SQL, for example for a migration tool. Does not connect.")
    static final class Print extends ComponentTables.Print {
        Print() {
            super(TABLES);
        }
    }

    @CommandLine.Command(name = "apply", description = "Create the inbox tables. No-op if they exist.")
    static final class Apply extends ComponentTables.Apply {
        Apply() {
            super(TABLES);
        }
    }

    @CommandLine.Command(
            name = "check",
            description = "Check that the inbox tables exist and match this version. Exits with 3 if not.")
    static final class Check extends ComponentTables.Check {
        Check() {
            super(TABLES);
        }
    }
}

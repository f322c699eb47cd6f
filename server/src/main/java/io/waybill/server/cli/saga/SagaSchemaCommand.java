package io.waybill.server.cli.saga;

import io.waybill.saga.store.SagaStore;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.schema.ComponentTables;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.OutboxDatabase;
import picocli.CommandLine;

@CommandLine.Command(
        name = "schema",
        description = "Print, create or check the tables of sagas.",
        synopsisSubcommandLabel = "print|apply|check",
        subcommands = {SagaSchemaCommand.Print.class, SagaSchemaCommand.Apply.class, SagaSchemaCommand.Check.class})
final class SagaSchemaCommand extends CommandGroup {
    static final ComponentTables<SagaStore<?>> TABLES =
            new ComponentTables<>("Saga", OutboxDatabase::sagas, DatabaseAccess::sagaSchema);

    @CommandLine.Command(
            name = "print",
            description = "Print the schema of sagas as plain SQL, for example for a migration tool. Does not connect.")
    static final class Print extends ComponentTables.Print {
        Print() {
            super(TABLES);
        }
    }

    @CommandLine.Command(name = "apply", description = "Create the tables of sagas. No-op if they exist.")
    static final class Apply extends ComponentTables.Apply {
        Apply() {
            super(TABLES);
        }
    }

    @CommandLine.Command(
            name = "check",
            description = "Check that the tables of sagas exist and match this version. Exits with 3 if not.")
    static final class Check extends ComponentTables.Check {
        Check() {
            super(TABLES);
        }
    }
}

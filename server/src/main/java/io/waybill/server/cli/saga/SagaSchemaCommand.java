package io.waybill.server.cli.saga;

import io.waybill.jdbc.saga.SagaRole;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.schema.ComponentTables;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

@CommandLine.Command(
        name = "schema",
        description = "Print, create or check the tables of sagas.",
        synopsisSubcommandLabel = "print|apply|check",
        subcommands = {SagaSchemaCommand.Print.class, SagaSchemaCommand.Apply.class, SagaSchemaCommand.Check.class})
final class SagaSchemaCommand extends CommandGroup {
    static final ComponentTables TABLES = new ComponentTables(
            "Saga",
            SagaSchema.VERSION,
            SagaSchema::sql,
            product -> Stream.of(
                            SagaRole.ENGINE.grants(product, "shop_service"),
                            SagaRole.PARTICIPANT.grants(product, "shop_participant"),
                            SagaRole.OPERATOR.grants(product, "shop_operator"))
                    .flatMap(List::stream)
                    .toList(),
            SagaSchema::apply,
            SagaSchema::problems);

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

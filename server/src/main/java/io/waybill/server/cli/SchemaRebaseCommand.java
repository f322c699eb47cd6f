package io.waybill.server.cli;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.server.Exit;
import io.waybill.server.database.OutboxTables;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "rebase",
        description = {
            "Make a journal that was restored from a dump fit its new cluster; harmless when it does.",
            "It goes on behind the last event that was published when the dump was made: what the old cluster published since"
                    + " then is published again."
        },
        footerHeading = "%nExample:%n",
        footer = {"  pg_dump shop | psql shop2 && ./waybill schema rebase --database jdbc:postgresql://db2/shop2"})
final class SchemaRebaseCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    Set<String> settings() {
        return Set.of("database", "engine", "data-dir");
    }

    @Override
    Exit run() {
        OutboxTables tables = tables();
        if (tables.engine() == Engine.QUEUE) {
            tables.demand();
            output().line("The queue engine needs no rebase: nothing in its tables is of a cluster.");
            return Exit.OK;
        }
        boolean restored = SchemaChange.of(() -> OutboxSchema.restored(tables.source()));
        long pending = SchemaChange.of(() -> OutboxSchema.rebase(tables.source()));
        if (json.wanted()) {
            output().json(Json.object().put("rebased", restored).put("pending", pending));
        } else if (restored) {
            output().line("The journal fits this cluster now; " + StatusText.number(pending)
                    + " events wait for their first attempt. Start the relays.");
        } else {
            output().line("The journal fits this cluster already. Nothing was changed.");
        }
        return Exit.OK;
    }
}

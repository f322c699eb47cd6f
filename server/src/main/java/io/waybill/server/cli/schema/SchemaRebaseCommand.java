package io.waybill.server.cli.schema;

import io.waybill.jdbc.Engine;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "rebase",
        description = {
            "Repair a journal that was restored from a dump or replicated, or whose sequence was altered or set back. No-op if"
                    + " no repair is needed.",
            "Relays continue after the last event that was published when the dump was made. Events that the old cluster"
                    + " published after the dump are published again. No event is lost."
        },
        footerHeading = "%nExample:%n",
        footer = {"  pg_dump shop | psql shop2 && ./waybill schema rebase --database jdbc:postgresql://db2/shop2"})
final class SchemaRebaseCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return Set.of("database", "engine", "data-dir");
    }

    @Override
    protected Exit run() {
        OutboxTables tables = tables();
        if (tables.engine() == Engine.QUEUE) {
            tables.requireValid();
            if (json.wanted()) {
                output().json(Json.object().put("rebased", false));
            } else {
                output().line("The queue engine needs no rebase: its tables do not depend on the cluster.");
            }
            return Exit.OK;
        }
        boolean needed = tables.needsRebase();
        long pending = tables.rebase();
        if (json.wanted()) {
            output().json(Json.object().put("rebased", needed).put("pending", pending));
        } else if (needed) {
            output().line("The journal fits this cluster now; " + Format.count(pending)
                    + " events wait for their first attempt. Start the relays.");
        } else {
            output().line("The journal fits this cluster already. Nothing was changed.");
        }
        return Exit.OK;
    }
}

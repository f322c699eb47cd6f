package io.waybill.server.cli.schema;

import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "lanes",
        description = {
            "Show or change the number of lanes, which is the maximum number of relays that share the work.",
            "The change is one transaction that rebuilds two indexes; writers wait for it. Relays need no restart."
        },
        footerHeading = "%nExample:%n",
        footer = {"  ./waybill schema lanes 16"})
final class SchemaLanesCommand extends Command {
    @Parameters(
            arity = "0..1",
            paramLabel = "N",
            description = "New number of lanes, 1 to 256. Without N, show the number.")
    private @Nullable Integer lanes;

    @Mixin
    private FenceOption fence = new FenceOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    @Override
    protected Exit run() {
        if (lanes != null && (lanes < 1 || lanes > 256)) {
            throw Problem.usage("The number of lanes must be from 1 to 256, not " + lanes + ".");
        }
        OutboxTables tables = tables().requireValid();
        int before = tables.lanes();
        int now = lanes == null ? before : lanes;
        if (now != before) {
            tables.changeLanes(now, fence.wanted());
        }
        if (json.wanted()) {
            output().json(Json.object().put("lanes", now).put("before", before));
        } else {
            output().line(now + " lanes" + (now == before ? "." : " now, " + before + " before."));
        }
        return Exit.OK;
    }
}

package io.waybill.server.cli.saga;

import io.waybill.saga.store.SagaStore;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.problem.Exit;
import java.time.Duration;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "prune",
        description = {
            "Remove ended sagas with their history. Audit rows stay.",
            "Engines do this by themselves after their retention time. Needs the privileges of an engine."
                    + " A removed saga's business key can be used again."
        },
        footerHeading = "%nExample:%n",
        footer = {"  ./waybill sagas prune --older-than 7d"})
final class SagaPrune extends Command {
    private static final int CHUNK = 1_000;

    @Mixin
    private JsonOption json = new JsonOption();

    @Option(
            names = "--older-than",
            paramLabel = "DURATION",
            required = true,
            description = "Only sagas that ended longer ago than this, such as 7d.")
    @SuppressWarnings("NullAway.Init")
    private String olderThan;

    @Override
    protected Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected Exit run() {
        Duration age = Arguments.duration("--older-than", olderThan);
        SagaStore<?> store = SagaAccess.store(database());
        long removed = 0;
        int chunk;
        do {
            chunk = store.prune(age, CHUNK);
            removed += chunk;
        } while (chunk == CHUNK);
        if (json.wanted()) {
            output().json(Json.object().put("removed", removed));
        } else {
            output().line("Removed " + Format.count(removed) + (removed == 1 ? " saga." : " sagas."));
        }
        return Exit.OK;
    }
}

package io.waybill.server.cli.saga;

import io.waybill.saga.admin.SagaStatistics;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "stats",
        description = "Count sagas by definition and state. Ended sagas are counted until they are removed.")
final class SagaStats extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected Exit run() {
        List<SagaStatistics> groups = SagaAccess.store(database()).view().statistics();
        if (json.wanted()) {
            groups.forEach(group -> output().json(SagasJson.statistics(group)));
            return Exit.OK;
        }
        if (groups.isEmpty()) {
            output().note("There are no sagas.");
            return Exit.OK;
        }
        Table table = new Table("SAGA", "STATE", "COUNT", "STUCK", "OLDEST");
        for (SagaStatistics group : groups) {
            table.row(
                    TerminalText.cut(group.name(), 60),
                    group.status().name(),
                    Format.count(group.count()),
                    Format.count(group.stuck()),
                    group.oldest().isZero() ? "-" : Format.age(group.oldest()));
        }
        output().table(table);
        return Exit.OK;
    }
}

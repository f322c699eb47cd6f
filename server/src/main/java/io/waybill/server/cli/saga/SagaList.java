package io.waybill.server.cli.saga;

import io.waybill.saga.SagaStatus;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.store.SagaRecord;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.LimitOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Suggestion;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "list",
        description = "List sagas, the newest first.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill sagas list --stuck",
            "  ./waybill sagas list --saga place-order --state executing --older-than 1h",
            "  ./waybill sagas list --json --limit 1000 --after 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11"
        })
final class SagaList extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private SagaFilterOptions filter = new SagaFilterOptions();

    @Option(
            names = "--state",
            paramLabel = "STATE",
            split = ",",
            description = "Only sagas in this state; repeatable: pending, executing, compensating, forward-recovery,"
                    + " failed, completed, rolled-back, partially-committed.")
    private List<String> states = new ArrayList<>();

    @Option(names = "--stuck", description = "Only sagas with a step that waits for a person.")
    private boolean stuck;

    @Option(
            names = "--after",
            paramLabel = "ID",
            description = "Continue after this saga, the last one of the previous page.")
    private @Nullable UUID after;

    @Mixin
    private LimitOption limit = new LimitOption();

    @Override
    protected Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected Exit run() {
        SagaFilter wanted = filter.filter(limit.limit())
                .statuses(statuses())
                .stuckOnly(stuck)
                .after(after);
        List<SagaRecord> sagas = SagaAccess.store(database()).view().list(wanted);
        if (json.wanted()) {
            sagas.forEach(saga -> output().json(SagasJson.saga(saga)));
            return Exit.OK;
        }
        if (sagas.isEmpty()) {
            output().note("No sagas match.");
            return Exit.OK;
        }
        output().table(table(sagas).cutTo(width()));
        if (sagas.size() == limit.limit()) {
            output().note("There may be more. The next page: --after "
                    + sagas.get(sagas.size() - 1).id());
        }
        return Exit.OK;
    }

    private static Problem unknown(String state) {
        List<String> all =
                Arrays.stream(SagaStatus.values()).map(SagaList::option).toList();
        return Problem.usage("Unknown state '" + state + "'." + Suggestion.sentence(state.toLowerCase(Locale.ROOT), all)
                + " The states are " + String.join(", ", all) + ".");
    }

    private Set<SagaStatus> statuses() {
        Set<SagaStatus> wanted = EnumSet.noneOf(SagaStatus.class);
        for (String state : states) {
            String name = state.strip().toUpperCase(Locale.ROOT).replace('-', '_');
            wanted.add(Arrays.stream(SagaStatus.values())
                    .filter(status -> status.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> unknown(state)));
        }
        return wanted;
    }

    private static String option(SagaStatus status) {
        return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Table table(List<SagaRecord> sagas) {
        Table table = new Table("ID", "SAGA", "KEY", "STATE", "AGE", "WAITS FOR A PERSON", "ERROR");
        for (SagaRecord saga : sagas) {
            table.row(
                    saga.id().toString(),
                    TerminalText.cut(saga.name(), 40),
                    TerminalText.cut(saga.businessKey(), 40),
                    state(saga),
                    Format.ageSince(saga.createdAt()),
                    saga.stuck().isEmpty() ? "-" : TerminalText.cut(saga.stuck(), 60),
                    saga.error() == null ? "" : saga.error());
        }
        return table;
    }

    /** A failed saga has ended only after decisions about all its stuck steps. */
    static String state(SagaRecord saga) {
        return saga.status() == SagaStatus.FAILED && !saga.ended()
                ? "FAILED, not ended"
                : saga.status().name();
    }
}

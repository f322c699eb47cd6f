package io.waybill.server.cli.saga;

import io.waybill.WaybillException;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaDetails;
import io.waybill.saga.admin.SagaView;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "show",
        description = "Show one saga with its data, steps, history and pending requests.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill sagas show place-order/order-42",
            "  ./waybill sagas show place-order/order-42 --picture > order-42.mmd",
            "  ./waybill sagas show place-order/order-42 --at 2026-03-01T12:00:00Z"
        })
final class SagaShow extends Command {
    static final String REFERENCE = "Id of the saga, or NAME/KEY: the name of its definition and its business key.";

    @Mixin
    private JsonOption json = new JsonOption();

    @Parameters(paramLabel = "SAGA", description = REFERENCE)
    @SuppressWarnings("NullAway.Init")
    private String reference;

    @Option(names = "--picture", description = "Print only a Mermaid flowchart of the execution.")
    private boolean picture;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Show the steps as of this time, such as 2026-03-01T12:00:00Z. The data is the current data.")
    private @Nullable String at;

    @Override
    protected Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected Exit run() {
        Instant time = at == null ? null : time(at);
        SagaActions actions = SagaAccess.actions(database());
        SagaDetails details = SagaDetails.of(
                actions.view(), actions.find(reference), time == null ? SagaText.HISTORY : mostHistory());
        SagaDetails shown = time == null ? details : details.at(time);
        if (picture) {
            output().line(shown.picture()
                    .orElseThrow(() -> new WaybillException("There is no picture of saga " + reference
                            + ": no engine has stored its definition. An engine does that when it starts."))
                    .stripTrailing());
        } else if (json.wanted()) {
            output().json(SagasJson.details(shown));
        } else {
            new SagaText(output(), width()).print(shown);
        }
        return Exit.OK;
    }

    /** One less than the view returns, because one more tells whether the history is complete. */
    private static int mostHistory() {
        return SagaView.LONGEST_HISTORY - 1;
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw Problem.usage("--at must be a time with its zone, such as 2026-03-01T12:00:00Z, not '" + text + "'.");
        }
    }
}

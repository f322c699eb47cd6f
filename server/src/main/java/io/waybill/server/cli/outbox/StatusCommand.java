package io.waybill.server.cli.outbox;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.internal.Secrets;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.SagaTables;
import io.waybill.server.http.json.StatusJson;
import io.waybill.server.problem.Exit;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "status",
        description =
                "Show pending events, their age, dead letters, sagas if there are any, the relays and their lanes.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill status --watch",
            "  ./waybill status --json | jq .pending",
            "  ./waybill status --check || echo 'no live relay'"
        })
public final class StatusCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--watch", description = "Repeat until stopped.")
    private boolean watch;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description = "Interval of --watch (default 2s).")
    private String every = "2s";

    @Option(names = "--check", description = "Exit with 1 when no relay is live.")
    private boolean check;

    @Override
    protected Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    @Override
    protected Exit run() throws InterruptedException {
        Duration pause = Arguments.duration("--every", every);
        OutboxDatabase database = database();
        OutboxView view = tables().requireValid().outbox().view();
        DataSource source = database.direct();
        while (true) {
            try {
                OutboxStatus status = PausedGroups.addTo(view.status(), source);
                clear();
                print(status, SagaTables.totals(source));
                if (!watch) {
                    return check && status.liveRelays() == 0 ? Exit.FAILED : Exit.OK;
                }
            } catch (WaybillException e) {
                if (!watch) {
                    throw e;
                }
                output().note("waybill: "
                        + TerminalText.escape(Secrets.maskIn(
                                String.valueOf(database.explain(e).getMessage()))));
            }
            if (output().closed()) {
                return Exit.OK;
            }
            Thread.sleep(Math.max(100, pause.toMillis()));
        }
    }

    private void clear() {
        if (watch && output().terminal() && !json.wanted()) {
            output().line("\u001b[H\u001b[2J");
        }
    }

    private void print(OutboxStatus status, Optional<SagaTotals> sagas) {
        if (json.wanted()) {
            output().json(StatusJson.of(status, sagas));
        } else {
            new StatusText(output()).print(status, sagas);
        }
    }
}

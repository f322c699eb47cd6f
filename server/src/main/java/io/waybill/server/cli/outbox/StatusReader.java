package io.waybill.server.cli.outbox;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.internal.Secrets;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.SagaTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads the status of one outbox. Opens it at the first call that succeeds. */
final class StatusReader {
    /** @param sagas empty if the database has no sagas */
    record Reading(OutboxStatus status, Optional<SagaTotals> sagas) {}

    private record Source(DataSource connections, OutboxView view) {}

    private final Configuration outbox;
    private final ServerLookup servers;
    private @Nullable OutboxDatabase database;
    private @Nullable Source source;

    StatusReader(Configuration outbox, ServerLookup servers) {
        this.outbox = outbox;
        this.servers = servers;
    }

    /** The name of the outbox; empty if it has none. */
    String name() {
        return outbox.outbox().orElse("");
    }

    boolean isOpen() {
        return source != null;
    }

    Reading read() {
        Source open = source;
        if (open == null) {
            open = open();
            source = open;
        }
        return new Reading(
                PausedGroups.addTo(open.view().status(), open.connections()), SagaTables.totals(open.connections()));
    }

    private Source open() {
        OutboxDatabase found = servers.database();
        database = found;
        OutboxView view = OutboxTables.find(found, outbox).requireValid().outbox().view();
        return new Source(found.direct(), view);
    }

    /** The cause and the remedy of a failed {@link #read}. Contains no secrets. */
    Problem explain(WaybillException failure) {
        OutboxDatabase found = database;
        Exit exit = failure instanceof Problem known ? known.exit() : Exit.FAILED;
        Problem problem = found == null
                ? new Problem(exit, String.valueOf(failure.getMessage()), failure)
                : found.explain(failure);
        return new Problem(problem.exit(), Secrets.maskIn(String.valueOf(problem.getMessage())), failure);
    }
}

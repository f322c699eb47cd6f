package io.waybill.server.cli.outbox;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.internal.Secrets;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the status of one outbox. Opens it at the first call that succeeds. */
final class StatusReader {
    /** @param sagas empty if the database has no sagas */
    record Reading(OutboxStatus status, Optional<SagaTotals> sagas) {}

    private final Configuration outbox;
    private final Function<Configuration, OutboxDatabase> databases;
    private @Nullable OutboxDatabase database;
    private @Nullable OutboxConnection connection;

    /** @param databases returns the database of an outbox, and closes it later */
    StatusReader(Configuration outbox, Function<Configuration, OutboxDatabase> databases) {
        this.outbox = outbox;
        this.databases = databases;
    }

    /** The name of the outbox; empty if it has none. */
    String name() {
        return outbox.outbox().orElse("");
    }

    boolean isOpen() {
        return connection != null;
    }

    Reading read() {
        OutboxConnection open = connection;
        if (open == null) {
            open = open();
            connection = open;
        }
        return new Reading(PausedGroups.addTo(open.view().status(), open.readableGroups()), open.sagaTotals());
    }

    private OutboxConnection open() {
        OutboxDatabase found = databases.apply(outbox);
        database = found;
        return found.outbox(outbox).requireValid().outbox();
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

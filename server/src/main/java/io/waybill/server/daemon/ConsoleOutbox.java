package io.waybill.server.daemon;

import io.waybill.WaybillException;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.layout.Layout;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.http.outbox.HealthCheck;
import io.waybill.server.http.outbox.Remembered;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.outbox.ServedOutbox;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An outbox of a daemon as its HTTP server shows it. */
public final class ConsoleOutbox implements ServedOutbox {
    /** Tables of an inbox or of sagas that are created later appear after this time. */
    private static final Duration RECHECK = Duration.ofSeconds(30);

    /** The state and the connections of an outbox at the moment. */
    public interface Current {
        List<HealthCheck> checks();

        /** @throws WaybillException with the reason, when the database does not return the status */
        OutboxStatus status();

        /** Returns empty if there are no sagas, or the database does not answer. */
        Optional<SagaTotals> sagaTotals();

        /** Returns empty until the outbox was open once. */
        Optional<Engine> engine();

        /**
         * Returns connections with a time limit for each statement. After the outbox is opened again, it returns other
         * connections.
         *
         * @throws io.waybill.store.StoreException with the reason, while the outbox is not open
         */
        OutboxConnection console();
    }

    /** The parts of the database that may be missing. */
    private record Parts(
            OutboxConnection connection,
            Remembered<Optional<ServedInbox>> inbox,
            Remembered<Optional<SagaActions>> sagas) {
        static Parts of(OutboxConnection connection) {
            return new Parts(
                    connection,
                    new Remembered<>(RECHECK, () -> findInbox(connection)),
                    new Remembered<>(RECHECK, () -> findSagas(connection)));
        }

        private static Optional<ServedInbox> findInbox(OutboxConnection connection) {
            try {
                return connection.inbox().map(Parts::served);
            } catch (WaybillException e) {
                return Optional.empty(); // this role may not read them
            }
        }

        private static ServedInbox served(InboxOperations inbox) {
            return new ServedInbox(inbox.view(), inbox.deadLetters());
        }

        private static Optional<SagaActions> findSagas(OutboxConnection connection) {
            try {
                return connection.sagas();
            } catch (WaybillException e) {
                return Optional.empty(); // this role may not read them
            }
        }
    }

    private final Route route;
    private final Current current;
    private volatile @Nullable Parts parts;

    public ConsoleOutbox(Route route, Current current) {
        this.route = route;
        this.current = current;
    }

    @Override
    public Optional<String> configuredName() {
        return route.configuration().outbox();
    }

    @Override
    public Description description() {
        return new Description(
                current.engine().map(Engine::label).orElse(null),
                route.database().address().access().label(),
                Secrets.strip(route.database().address().url()),
                route.broker().withoutSecrets(),
                OutboxTables.layout(route.configuration()).map(Layout::name).orElse(null));
    }

    @Override
    public List<HealthCheck> checks() {
        return current.checks();
    }

    @Override
    public OutboxStatus status() {
        return current.status();
    }

    @Override
    public Optional<SagaTotals> sagaTotals() {
        return current.sagaTotals();
    }

    @Override
    public OutboxView view() {
        return current.console().view();
    }

    @Override
    public Optional<OutboxSearch> search() {
        return current.console().search();
    }

    @Override
    public Optional<OutboxActions> actions() {
        return current.console().actions();
    }

    @Override
    public Optional<BulkOperations> bulk() {
        return current.console().bulk();
    }

    @Override
    public Optional<ServedInbox> inbox() {
        return parts().inbox().get();
    }

    @Override
    public Optional<SagaActions> sagas() {
        return parts().sagas().get();
    }

    private Parts parts() {
        OutboxConnection connection = current.console();
        Parts known = parts;
        if (known == null || known.connection() != connection) {
            known = Parts.of(connection);
            parts = known;
        }
        return known;
    }
}

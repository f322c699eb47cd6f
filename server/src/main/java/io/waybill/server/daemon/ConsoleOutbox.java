package io.waybill.server.daemon;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.saga.admin.SagaActions;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.http.outbox.Remembered;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.outbox.ServedOutbox;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** The outbox of a daemon as its HTTP server shows it. */
public final class ConsoleOutbox {
    /** The name of the only outbox. */
    static final String MAIN = "main";

    /** Tables of an inbox or of sagas that are created later appear after this time. */
    private static final Duration RECHECK = Duration.ofSeconds(30);

    private ConsoleOutbox() {}

    /** @param source connections with a time limit for each statement */
    public static ServedOutbox of(
            Configuration configuration,
            OutboxDatabase database,
            OutboxTables tables,
            BrokerAddress broker,
            DataSource source,
            Supplier<OutboxStatus> status) {
        JdbcEngine outbox = tables.on(source);
        return new ServedOutbox(
                new ServedOutbox.Description(
                        MAIN,
                        tables.engine().label(),
                        database.address().product().label(),
                        Secrets.strip(database.address().jdbcUrl()),
                        broker.withoutSecrets(),
                        OutboxTables.layout(configuration).map(Layout::name).orElse(null)),
                status,
                outbox.view(),
                Optional.of(outbox.search()),
                Optional.of(outbox.actions()),
                Optional.of(outbox.bulk()),
                new Remembered<>(RECHECK, () -> inbox(source)),
                new Remembered<>(RECHECK, () -> sagas(source)));
    }

    private static Optional<ServedInbox> inbox(DataSource source) {
        try {
            if (!InboxSchema.problems(source).isEmpty()) {
                return Optional.empty();
            }
        } catch (WaybillException e) {
            return Optional.empty(); // this role may not read them
        }
        JdbcInbox inbox = JdbcInbox.on(source);
        return Optional.of(new ServedInbox(inbox.view(), inbox.deadLetters()));
    }

    private static Optional<SagaActions> sagas(DataSource source) {
        try {
            return SagaSchema.isInstalled(source) && SagaSchema.problems(source).isEmpty()
                    ? Optional.of(SagaActions.on(JdbcSagaStore.on(source)))
                    : Optional.empty();
        } catch (WaybillException e) {
            return Optional.empty(); // this role may not read them
        }
    }
}

package io.waybill.server.database;

import io.waybill.WaybillException;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.saga.admin.SagaView;
import java.util.Optional;
import javax.sql.DataSource;

/** The tables of sagas beside an outbox, for programs that show them if they exist. */
public final class SagaTables {
    private SagaTables() {}

    /** Returns empty if there are no such tables, or this program cannot read them. */
    public static Optional<SagaView> view(DataSource source) {
        return SagaSchema.isInstalled(source) && SagaSchema.problems(source).isEmpty()
                ? Optional.of(JdbcSagaStore.on(source).view())
                : Optional.empty();
    }

    /**
     * Returns the sagas that have not ended. Empty also if this role may not read them; {@code waybill doctor} reports that.
     */
    public static Optional<SagaTotals> totals(DataSource source) {
        try {
            return view(source).map(view -> SagaTotals.of(view.activity()));
        } catch (WaybillException e) {
            return Optional.empty();
        }
    }
}

package io.waybill.server.http;

import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
import java.util.List;
import java.util.Optional;

/** An outbox that this process serves with a relay. Its database may be unreachable, also since the start. */
public interface ServedOutbox {
    /** The name in the settings; empty if the settings at the top level are those of the only outbox. */
    default Optional<String> name() {
        return configuration().outbox();
    }

    /** The effective settings of this outbox. */
    Configuration configuration();

    OutboxDatabase database();

    /**
     * Reads the tables, with a time limit for each statement.
     *
     * @throws io.waybill.WaybillException with the reason, while the outbox cannot be opened
     */
    OutboxView view();

    /** Returns whether events of this outbox can be delivered at the moment. */
    List<HealthCheck> checks();

    /** @throws io.waybill.WaybillException with the reason, when the database does not return the status */
    OutboxStatus status();

    /** Returns the sagas that have not ended; empty if there are none in this database, or it does not answer. */
    Optional<SagaTotals> sagas();
}

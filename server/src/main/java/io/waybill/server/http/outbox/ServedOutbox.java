package io.waybill.server.http.outbox;

import io.waybill.admin.BulkOperations;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaTotals;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An outbox that this process serves with a relay. Its database may be unreachable, even since the start. The methods that need
 * an open outbox then throw a {@link io.waybill.store.StoreException} with the reason. Each query has a time limit.
 */
public interface ServedOutbox {
    /** The name in the paths of the API of an outbox that has none. */
    String MAIN = "main";

    /** The name in the settings; empty if the settings at the top level are those of the only outbox. */
    Optional<String> configuredName();

    /** The name in the paths of the API. */
    default String name() {
        return configuredName().orElse(MAIN);
    }

    Description description();

    /** Returns whether events of this outbox can be delivered at the moment. */
    List<HealthCheck> checks();

    /**
     * May come from a cache.
     *
     * @throws io.waybill.WaybillException with the reason, when the database does not return the status
     */
    OutboxStatus status();

    /** Returns the sagas that have not ended; empty if there are none in this database, or it does not answer. */
    Optional<SagaTotals> sagaTotals();

    OutboxView view();

    /** Returns empty if this kind of database does not support searches. */
    Optional<OutboxSearch> search();

    /** Returns empty if this kind of database does not support actions. */
    Optional<OutboxActions> actions();

    /** Returns empty if this kind of database does not support bulk operations. */
    Optional<BulkOperations> bulk();

    /** Returns empty if the database contains no inbox. */
    Optional<ServedInbox> inbox();

    /** Returns empty if the database contains no sagas. */
    Optional<SagaActions> sagas();

    /**
     * The engine, the layout and the servers of an outbox, as users see them.
     *
     * @param engine null until the outbox was open once
     * @param database the address without login
     * @param broker the address without login
     * @param layout the served layout; null for Waybill's own tables
     */
    record Description(
            @Nullable String engine,
            String product,
            String database,
            String broker,
            @Nullable String layout) {}
}

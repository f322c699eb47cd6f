package io.waybill.server.http.outbox;

import io.waybill.admin.BulkOperations;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.saga.admin.SagaActions;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An outbox that the HTTP server shows. Its parts query the database of the outbox, with a time limit for each query.
 *
 * @param status may come from a cache
 * @param search empty if this kind of database does not support it; so are the parts below
 * @param inbox empty if the database contains no tables of an inbox
 * @param sagas empty if the database contains no tables of sagas
 */
public record ServedOutbox(
        Description description,
        Supplier<OutboxStatus> status,
        OutboxView view,
        Optional<OutboxSearch> search,
        Optional<OutboxActions> actions,
        Optional<BulkOperations> bulk,
        Supplier<Optional<ServedInbox>> inbox,
        Supplier<Optional<SagaActions>> sagas) {

    /**
     * What a user sees of the servers.
     *
     * @param name the name in the paths of the API
     * @param database the address without login
     * @param broker the address without login
     * @param layout the served layout; null for Waybill's own tables
     */
    public record Description(
            String name,
            String engine,
            String product,
            String database,
            String broker,
            @Nullable String layout) {}

    public String name() {
        return description.name();
    }
}

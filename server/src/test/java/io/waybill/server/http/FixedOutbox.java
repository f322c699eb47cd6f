package io.waybill.server.http;

import io.waybill.WaybillException;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.http.outbox.HealthCheck;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** An outbox in a fixed state, without a database: requests that read it fail as if it could not be opened. */
record FixedOutbox(Optional<String> configuredName, BooleanSupplier isDown) implements ServedOutbox {
    @Override
    public Description description() {
        return new Description(null, "postgresql", "jdbc:postgresql://db/shop", "kafka://k1:9092", null);
    }

    @Override
    public List<HealthCheck> checks() {
        return List.of(new HealthCheck("database", !isDown.getAsBoolean(), "<script>alert(1)</script>"));
    }

    @Override
    public OutboxStatus status() {
        if (isDown.getAsBoolean()) {
            throw new WaybillException("gone");
        }
        return new OutboxStatus(
                Instant.EPOCH, 1, 0, 0, 0, 0, 0, Duration.ofSeconds(2), 0, List.of(), List.of(), List.of());
    }

    @Override
    public Optional<SagaTotals> sagaTotals() {
        return Optional.of(new SagaTotals(3, 2, 1, Duration.ofSeconds(9), Duration.ZERO));
    }

    private static StoreException notOpen() {
        return new StoreException("The outbox is not open yet.", null);
    }

    @Override
    public OutboxView view() {
        throw notOpen();
    }

    @Override
    public Optional<OutboxSearch> search() {
        throw notOpen();
    }

    @Override
    public Optional<OutboxActions> actions() {
        throw notOpen();
    }

    @Override
    public Optional<BulkOperations> bulk() {
        throw notOpen();
    }

    @Override
    public Optional<ServedInbox> inbox() {
        throw notOpen();
    }

    @Override
    public Optional<SagaActions> sagas() {
        throw notOpen();
    }
}

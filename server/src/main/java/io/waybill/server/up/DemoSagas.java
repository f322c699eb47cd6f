package io.waybill.server.up;

import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.RefusedException;
import io.waybill.saga.Saga;
import io.waybill.saga.Sagas;
import io.waybill.saga.admin.SagaTotals;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Fulfils orders as sagas. Most complete. Sometimes the card is declined, so the saga is undone, and sometimes the carrier rejects the
 * parcel, so the saga needs a person.
 */
final class DemoSagas implements AutoCloseable {
    private static final Duration BETWEEN_STARTS = Duration.ofSeconds(7);

    /** No further saga that needs a person is started while this many need one. */
    private static final int MOST_STUCK = 2;

    private static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofSeconds(2), Duration.ofSeconds(5));

    /** A compensation that fails is repeated for hours, so an operator sees a saga in compensation. */
    private static final RetryPolicy PATIENT = new RetryPolicy(500, Duration.ofSeconds(5), Duration.ofMinutes(1));

    private final Saga<DemoOrder> definition = definition();
    private final Sagas<Connection> sagas;
    private final AtomicInteger started = new AtomicInteger();
    private final DemoLoop loop;

    private DemoSagas(DataSource source) {
        this.sagas = Sagas.builder(JdbcSagaStore.on(source), JdbcOutbox.create())
                .add(definition)
                .build();
        sagas.start();
        this.loop = DemoLoop.start("waybill-demo-sagas", BETWEEN_STARTS, this::begin);
    }

    static DemoSagas start(DataSource source) {
        return new DemoSagas(source);
    }

    private void begin() throws SQLException {
        int number = started.incrementAndGet();
        SagaTotals totals = SagaTotals.of(sagas.view().activity());
        boolean broken = number % 6 == 2 && totals.stuck() < MOST_STUCK;
        boolean declined = number % 6 == 4;
        boolean slowUndo = declined && totals.compensating() == 0;
        String id = "order-" + System.currentTimeMillis() / 1_000;
        sagas.start(definition, id, new DemoOrder(id, 10 + number % 90, declined, slowUndo, broken));
    }

    private static Saga<DemoOrder> definition() {
        return Saga.named("fulfil-order", DemoOrder.class)
                .step("reserve-stock")
                .local(order -> order)
                .localCompensation(DemoSagas::release)
                .compensationRetry(PATIENT)
                .step("print-label")
                .local(order -> order)
                .localCompensation(order -> order)
                .step("charge-card")
                .local(DemoSagas::charge)
                .after("reserve-stock", "print-label")
                .pivot()
                .then("pack")
                .delay(Duration.ofSeconds(10))
                .then("ship")
                .external((order, call) -> ship(order))
                .retry(RETRY)
                .retriable()
                .then("send-mail")
                .local(order -> order)
                .retriable()
                .build();
    }

    private static DemoOrder release(DemoOrder order) {
        if (order.slowUndo()) {
            throw new IllegalStateException("The warehouse system is closed for stocktaking.");
        }
        return order;
    }

    private static DemoOrder charge(DemoOrder order) {
        if (order.declined()) {
            throw new RefusedException("The bank declined the card: insufficient funds.");
        }
        return order;
    }

    private static DemoOrder ship(DemoOrder order) {
        if (order.broken()) {
            throw new IllegalStateException("The carrier rejected the parcel: postcode 00000 is unknown.");
        }
        return order;
    }

    @Override
    public void close() {
        loop.close();
        sagas.close();
    }

    record DemoOrder(String id, int amount, boolean declined, boolean slowUndo, boolean broken) {}
}

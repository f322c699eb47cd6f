package io.waybill.examples.polyshop.order;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts orders after the commit: {@code orders_created_total}, {@code orders_paid_total}, {@code orders_closed_total}. */
@Component
class OrderMetrics {
    private final MeterRegistry registry;

    OrderMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void created() {
        afterCommit(() -> registry.counter("orders.created").increment());
    }

    void paid() {
        afterCommit(() -> registry.counter("orders.paid").increment());
    }

    void closed(OrderStatus status) {
        afterCommit(
                () -> registry.counter("orders.closed", "status", status.name().toLowerCase(Locale.ROOT))
                        .increment());
    }

    private static void afterCommit(Runnable count) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                count.run();
            }
        });
    }
}

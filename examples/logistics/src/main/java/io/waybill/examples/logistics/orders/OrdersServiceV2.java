package io.waybill.examples.logistics.orders;

import io.waybill.examples.logistics.access.Tenants;
import io.waybill.examples.logistics.outbox.OutboxService;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Orders. Every change and its event are one transaction, which the route owns. */
@Service
@Transactional(propagation = Propagation.MANDATORY)
class OrdersServiceV2 {
    private static final String INSERT = """
            INSERT INTO orders (id, tenant_id, customer_name, street, number, unit, city, postal_code, country_code,
                                freight_minor, currency, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private static final String INSERT_PARCEL =
            "INSERT INTO parcels (order_id, tenant_id, number, weight_grams, freight_minor) VALUES (?, ?, ?, ?, ?)";

    /** Row-level security adds the condition on the tenant. */
    private static final String SELECT = """
            SELECT id, customer_name, street, number, unit, city, postal_code, country_code, freight_minor, currency, status,
                   created_at FROM orders""";

    private static final String SELECT_PARCELS =
            "SELECT number, weight_grams, freight_minor FROM parcels WHERE order_id = ? ORDER BY number";

    private final JdbcClient jdbc;
    private final Tenants tenants;
    private final OutboxService outbox;
    private final Clock clock = Clock.tick(Clock.systemUTC(), Duration.ofNanos(1_000)); // as the database keeps it

    OrdersServiceV2(JdbcClient jdbc, Tenants tenants, OutboxService outbox) {
        this.jdbc = jdbc;
        this.tenants = tenants;
        this.outbox = outbox;
    }

    OrderView create(UUID tenant, NewOrder order) {
        tenants.enter(tenant);
        OrderView created = new OrderView(
                UUID.randomUUID(),
                order.customerName(),
                order.deliveryAddress(),
                order.freight(),
                parcels(order),
                "OPEN",
                clock.instant());
        insert(tenant, created);
        outbox.emit(tenant, "Order", created.id(), "OrderCreated", created);
        return created;
    }

    private static List<OrderView.Parcel> parcels(NewOrder order) {
        List<Long> weights = order.weights();
        Money freight = order.freight();
        if (freight == null || weights.isEmpty()) {
            return List.of();
        }
        List<Long> shares = freight.allocate(weights);
        List<OrderView.Parcel> parcels = new ArrayList<>();
        for (int i = 0; i < shares.size(); i++) {
            parcels.add(new OrderView.Parcel(i + 1, weights.get(i), shares.get(i)));
        }
        return parcels;
    }

    private void insert(UUID tenant, OrderView order) {
        Address address = order.deliveryAddress();
        Money freight = order.freight();
        jdbc.sql(INSERT)
                .param(order.id())
                .param(tenant)
                .param(order.customerName())
                .param(address.street())
                .param(address.number())
                .param(address.unit())
                .param(address.city())
                .param(address.postalCode())
                .param(address.countryCode())
                .param(freight == null ? null : freight.minor())
                .param(freight == null ? null : freight.currency())
                .param(Timestamp.from(order.createdAt()))
                .update();
        for (OrderView.Parcel parcel : order.parcels()) {
            jdbc.sql(INSERT_PARCEL)
                    .params(order.id(), tenant, parcel.number(), parcel.weightGrams(), parcel.freightMinor())
                    .update();
        }
    }

    /** Cancels the order. Cancelling it again changes nothing and emits no event. Returns empty if the tenant has no such order. */
    Optional<OrderView> cancel(UUID tenant, UUID id) {
        tenants.enter(tenant);
        // The update locks the order before the event is written, so that the events of an order are in the order of
        // its changes.
        int cancelled = jdbc.sql("UPDATE orders SET status = 'CANCELLED' WHERE id = ? AND status = 'OPEN'")
                .param(id)
                .update();
        Optional<OrderView> order = find(id);
        if (cancelled == 1) {
            outbox.emit(tenant, "Order", id, "OrderCancelled", order.orElseThrow());
        }
        return order;
    }

    Optional<OrderView> get(UUID tenant, UUID id) {
        tenants.enter(tenant);
        return find(id);
    }

    /** Returns orders, the newest first. */
    List<OrderSummary> list(UUID tenant, int limit) {
        tenants.enter(tenant);
        return jdbc.sql(SELECT + " ORDER BY created_at DESC, id LIMIT ?")
                .param(limit)
                .query(OrdersServiceV2::order)
                .list();
    }

    private Optional<OrderView> find(UUID id) {
        return jdbc.sql(SELECT + " WHERE id = ?")
                .param(id)
                .query(OrdersServiceV2::order)
                .optional()
                .map(order -> order.withParcels(jdbc.sql(SELECT_PARCELS)
                        .param(id)
                        .query((row, number) -> new OrderView.Parcel(row.getInt(1), row.getLong(2), row.getLong(3)))
                        .list()));
    }

    private static OrderSummary order(ResultSet row, int number) throws SQLException {
        String currency = row.getString("currency");
        return new OrderSummary(
                row.getObject("id", UUID.class),
                row.getString("customer_name"),
                new Address(
                        row.getString("street"),
                        row.getString("number"),
                        row.getString("unit"),
                        row.getString("city"),
                        row.getString("postal_code"),
                        row.getString("country_code")),
                currency == null ? null : new Money(row.getLong("freight_minor"), currency),
                row.getString("status"),
                instant(row));
    }

    private static Instant instant(ResultSet row) throws SQLException {
        return row.getTimestamp("created_at").toInstant();
    }
}

package io.waybill.examples.polyshop.analytics;

import io.javalin.http.Context;
import io.waybill.Event;
import io.waybill.examples.polyshop.service.Access;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.Rows;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.PermanentException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The service analytics: keeps all events, and counts orders, customers and revenue (paid minus refunded). */
public final class AnalyticsService implements AutoCloseable {
    private static final List<String> COUNTED_ONLY = List.of(
            "auth.user.created.v1",
            "auth.user.verified.v1",
            "product.product.created.v1",
            "product.product.updated.v1",
            "inventory.stock.movement.v1",
            "inventory.stock.released.v1",
            "payment.payment.succeeded.v1",
            "order.order.cancelled.v1",
            "order.order.expired.v1",
            "order.order.fulfilled.v1",
            "notification.email.sent.v1");
    private static final String ADD = """
            INSERT INTO sales_daily (date, total_orders, total_revenue) VALUES (?, ?, ?)
            ON CONFLICT (date) DO UPDATE SET total_orders = sales_daily.total_orders + excluded.total_orders,
                total_revenue = sales_daily.total_revenue + excluded.total_revenue""";

    private final ServiceRuntime runtime;

    public AnalyticsService(ServiceSettings settings) {
        runtime = ServiceRuntime.of(settings);
        runtime.createTables(AnalyticsService.class, "analytics.sql");
        runtime.consume(AnalyticsService::handlers);
        runtime.http()
                .get("/analytics/summary", Access.ADMIN, (context, caller) -> summary(context))
                .get("/analytics/sales-by-day", Access.ADMIN, (context, caller) -> salesByDay(context));
    }

    private static InboxBuilder<Connection> handlers(InboxBuilder<Connection> inbox) {
        COUNTED_ONLY.forEach(type -> inbox.on(type, AnalyticsService::keep));
        return inbox.on("order.order.placed.v1", AnalyticsService::placed)
                .on("order.order.paid.v1", AnalyticsService::paid)
                .on("payment.refund.created.v1", AnalyticsService::refunded);
    }

    public AnalyticsService start() {
        runtime.start();
        return this;
    }

    public int port() {
        return runtime.port();
    }

    private static void keep(Connection connection, Event event) throws SQLException {
        Rows.update(
                connection,
                "INSERT INTO events_raw (id, event_type, payload, created_at) VALUES (?, ?, CAST(? AS json), ?)"
                        + " ON CONFLICT DO NOTHING",
                event.id(),
                event.type(),
                event.payload(),
                event.occurredAt().atOffset(ZoneOffset.UTC));
    }

    record Fields(
            @Nullable String userId,
            @Nullable String orderId,
            @Nullable BigDecimal totalAmount,
            @Nullable BigDecimal amount) {}

    private static void placed(Connection connection, Event event) throws SQLException {
        keep(connection, event);
        String user = Json.read(event.payload(), Fields.class).userId();
        if (user == null) {
            throw new PermanentException("Event " + event + " has no userId.");
        }
        Rows.update(connection, "INSERT INTO customers (user_id) VALUES (?) ON CONFLICT DO NOTHING", user);
        Rows.update(connection, ADD, day(event), 1, BigDecimal.ZERO);
    }

    private static void paid(Connection connection, Event event) throws SQLException {
        money(connection, event, Json.read(event.payload(), Fields.class).totalAmount(), "paid");
    }

    private static void refunded(Connection connection, Event event) throws SQLException {
        money(connection, event, Json.read(event.payload(), Fields.class).amount(), "refunded");
    }

    /**
     * Adds an amount to the payments or to the refunds of an order. A refund counts only if the order was paid: a payment that
     * arrived too late is refunded and never counts as revenue. The two events come from two topics, in any order.
     */
    private static void money(Connection connection, Event event, @Nullable BigDecimal amount, String column)
            throws SQLException {
        keep(connection, event);
        String order = Json.read(event.payload(), Fields.class).orderId();
        if (amount == null || order == null) {
            throw new PermanentException("Event " + event + " has no orderId or no amount.");
        }
        Rows.update(connection, "INSERT INTO order_money (order_id) VALUES (?) ON CONFLICT DO NOTHING", order);
        BigDecimal before = revenue(connection, order);
        Rows.update(
                connection,
                "UPDATE order_money SET " + column + " = " + column + " + ? WHERE order_id = ?",
                amount,
                order);
        Rows.update(connection, ADD, day(event), 0, revenue(connection, order).subtract(before));
    }

    private static BigDecimal revenue(Connection connection, String order) throws SQLException {
        return Rows.first(
                        connection,
                        "SELECT greatest(paid - refunded, 0) FROM order_money WHERE order_id = ? FOR UPDATE",
                        row -> row.getBigDecimal(1),
                        order)
                .orElseThrow();
    }

    private static LocalDate day(Event event) {
        OffsetDateTime time = event.occurredAt().atOffset(ZoneOffset.UTC);
        return time.toLocalDate();
    }

    private void summary(Context context) {
        HttpApi.json(
                context,
                200,
                runtime.transaction(connection -> Rows.first(connection, """
                        SELECT coalesce(sum(total_orders), 0) AS orders, coalesce(sum(total_revenue), 0) AS revenue,
                               (SELECT count(*) FROM customers) AS customers
                        FROM sales_daily""", row -> {
                            long orders = row.getLong("orders");
                            BigDecimal revenue = row.getBigDecimal("revenue");
                            Map<String, Object> summary = new LinkedHashMap<>();
                            summary.put("totalOrders", orders);
                            summary.put("totalRevenue", revenue);
                            summary.put("totalCustomers", row.getLong("customers"));
                            summary.put(
                                    "avgOrderValue",
                                    orders == 0
                                            ? BigDecimal.ZERO
                                            : revenue.divide(BigDecimal.valueOf(orders), 2, RoundingMode.HALF_EVEN));
                            return summary;
                        })
                        .orElseThrow()));
    }

    private void salesByDay(Context context) {
        HttpApi.json(
                context,
                200,
                runtime.transaction(connection -> Rows.list(
                        connection,
                        "SELECT date, total_orders, total_revenue FROM sales_daily ORDER BY date DESC LIMIT 366",
                        row -> {
                            Map<String, Object> day = new LinkedHashMap<>();
                            day.put(
                                    "date",
                                    row.getObject("date", LocalDate.class).toString());
                            day.put("orders", row.getLong("total_orders"));
                            day.put("revenue", row.getBigDecimal("total_revenue"));
                            return day;
                        })));
    }

    @Override
    public void close() {
        runtime.close();
    }

    public static void main(String[] arguments) {
        new AnalyticsService(ServiceSettings.of("analytics-service", System.getenv())).start();
    }
}

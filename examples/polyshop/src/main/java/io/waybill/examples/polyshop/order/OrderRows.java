package io.waybill.examples.polyshop.order;

import static java.util.Objects.requireNonNull;

import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Json;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The SQL of orders. */
@Component
class OrderRows {
    private static final String INSERT = """
            INSERT INTO orders (id, user_id, total_amount, currency, status, shipping_address, billing_address, headers)
            VALUES (?, ?, ?, ?, 'CREATED', CAST(? AS json), CAST(? AS json), CAST(? AS json))""";
    private static final String INSERT_ITEM = """
            INSERT INTO order_items (id, order_id, line, product_id, variant_id, quantity, unit_price, total_price)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""";
    private static final String SELECT = """
            SELECT id, user_id, total_amount, currency, status, shipping_address, billing_address, created_at, updated_at
            FROM orders\s""";

    private final JdbcClient jdbc;

    /** @param tables makes Spring create the tables first */
    OrderRows(JdbcClient jdbc, OrderTables tables) {
        this.jdbc = jdbc;
    }

    void insert(
            UUID id,
            String user,
            BigDecimal total,
            String currency,
            NewOrder order,
            Map<String, String> headers,
            List<OrderView.Item> items) {
        jdbc.sql(INSERT)
                .param(id)
                .param(user)
                .param(total)
                .param(currency)
                .param(Json.write(requireNonNull(order.shippingAddress())))
                .param(order.billingAddress() == null ? null : Json.write(order.billingAddress()))
                .param(Json.write(headers))
                .update();
        for (int line = 0; line < items.size(); line++) {
            OrderView.Item item = items.get(line);
            jdbc.sql(INSERT_ITEM)
                    .param(UUID.randomUUID())
                    .param(id)
                    .param(line + 1)
                    .param(item.productId())
                    .param(item.variantId())
                    .param(item.quantity())
                    .param(item.unitPrice())
                    .param(item.totalPrice())
                    .update();
        }
    }

    /** Locks the order, so that its state changes in one transaction at a time. */
    Optional<OrderStatus> lock(UUID id) {
        return jdbc.sql("SELECT status FROM orders WHERE id = ? FOR UPDATE")
                .param(id)
                .query(String.class)
                .optional()
                .map(OrderStatus::valueOf);
    }

    void status(UUID id, OrderStatus status, @Nullable String closeReason) {
        jdbc.sql("UPDATE orders SET status = ?, close_reason = ?, updated_at = now() WHERE id = ?")
                .param(status.name())
                .param(closeReason)
                .param(id)
                .update();
    }

    /** Returns what the events of an order need. */
    Placement placement(UUID id) {
        OrderView order = find(id).orElseThrow(Orders::notFound);
        Map<String, String> headers = new LinkedHashMap<>();
        String stored = jdbc.sql("SELECT headers FROM orders WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
        Json.tree(stored)
                .properties()
                .forEach(field -> headers.put(field.getKey(), field.getValue().stringValue()));
        List<NewOrder.Item> items = order.items().stream()
                .map(item -> new NewOrder.Item(item.productId(), item.variantId(), item.quantity()))
                .toList();
        return new Placement(id, order.userId(), items, order.totalAmount(), order.currency(), headers, null, null);
    }

    Optional<OrderView> find(UUID id) {
        return jdbc.sql(SELECT + "WHERE id = ?").param(id).query(this::view).optional();
    }

    /** @param user null for the orders of all users */
    List<OrderView> page(@Nullable String user, int page, int size) {
        return jdbc.sql(SELECT
                        + "WHERE CAST(? AS text) IS NULL OR user_id = ? ORDER BY created_at DESC, id LIMIT ? OFFSET ?")
                .param(user)
                .param(user)
                .param(size)
                .param((long) page * size)
                .query(this::view)
                .list();
    }

    private OrderView view(ResultSet row, int number) throws SQLException {
        UUID id = row.getObject("id", UUID.class);
        String billing = row.getString("billing_address");
        return new OrderView(
                id,
                row.getString("user_id"),
                items(id),
                row.getBigDecimal("total_amount"),
                row.getString("currency"),
                OrderStatus.valueOf(row.getString("status")),
                Json.read(row.getString("shipping_address"), Address.class),
                billing == null ? null : Json.read(billing, Address.class),
                time(row, "created_at"),
                time(row, "updated_at"));
    }

    private static String time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant().toString();
    }

    private List<OrderView.Item> items(UUID order) {
        return jdbc.sql("SELECT product_id, variant_id, quantity, unit_price, total_price FROM order_items"
                        + " WHERE order_id = ? ORDER BY line")
                .param(order)
                .query((row, number) -> new OrderView.Item(
                        row.getObject("product_id", UUID.class),
                        row.getObject("variant_id", UUID.class),
                        row.getInt("quantity"),
                        row.getBigDecimal("unit_price"),
                        row.getBigDecimal("total_price")))
                .list();
    }

    /** Returns the price of a product that is for sale. */
    Optional<BigDecimal> price(UUID product) {
        return jdbc.sql("SELECT price FROM product_prices WHERE product_id = ? AND active")
                .param(product)
                .query(BigDecimal.class)
                .optional();
    }

    /** Returns the currency of these products, which are known. An order has one currency. */
    String currency(List<NewOrder.Item> items) {
        Set<String> currencies = new HashSet<>();
        for (NewOrder.Item item : items) {
            currencies.addAll(jdbc.sql("SELECT currency FROM product_prices WHERE product_id = ?")
                    .param(item.productId())
                    .query(String.class)
                    .list());
        }
        if (currencies.size() != 1) {
            throw ApiException.invalid(List.of("The items of an order must have one currency, not " + currencies));
        }
        return currencies.iterator().next();
    }
}

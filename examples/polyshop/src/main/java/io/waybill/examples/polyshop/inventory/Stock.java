package io.waybill.examples.polyshop.inventory;

import io.waybill.Outbox;
import io.waybill.examples.polyshop.inventory.Reservation.Status;
import io.waybill.examples.polyshop.service.Rows;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stock, reservations and movements. The methods run in the caller's transaction and append their events to its outbox. Every method
 * has the same effect when it is repeated. Stock rows are locked in the order of their ids, so that two orders cannot block each other.
 */
final class Stock {
    private static final String SELECT = """
            SELECT id, order_id, product_id, variant_id, quantity, status, expires_at, updated_at FROM reservations\s""";

    private Stock() {}

    /** The stock of an item. */
    record Level(int available, int reserved, OffsetDateTime updatedAt) {}

    /** The reason why the items of an order cannot be reserved. */
    record Missing(String reason) {}

    static Optional<Level> level(Connection connection, UUID product, @Nullable UUID variant) throws SQLException {
        return Rows.first(
                connection,
                "SELECT available, reserved, updated_at FROM stock WHERE product_id = ? AND variant_id IS NOT DISTINCT FROM CAST(? AS uuid)",
                row -> new Level(
                        row.getInt("available"),
                        row.getInt("reserved"),
                        row.getObject("updated_at", OffsetDateTime.class)),
                product,
                variant);
    }

    /** Creates the row of an item that has none. */
    static void know(Connection connection, UUID product, @Nullable UUID variant) throws SQLException {
        Rows.update(
                connection,
                "INSERT INTO stock (id, product_id, variant_id, available, reserved) VALUES (?, ?, ?, 0, 0) ON CONFLICT DO NOTHING",
                Reservation.named("stock/" + product + "/" + variant),
                product,
                variant);
    }

    /**
     * Changes the goods in the warehouse.
     *
     * @return false if fewer goods are available than the movement removes
     */
    static boolean move(
            Connection connection,
            Outbox<Connection> outbox,
            UUID movement,
            Item delta,
            String reason,
            @Nullable UUID order)
            throws SQLException {
        know(connection, delta.productId(), delta.variantId());
        boolean possible = change(connection, delta, delta.quantity(), 0);
        if (possible) {
            recordMovement(connection, outbox, movement, delta, reason, order);
        }
        return possible;
    }

    private static void recordMovement(
            Connection connection,
            Outbox<Connection> outbox,
            UUID movement,
            Item delta,
            String reason,
            @Nullable UUID order)
            throws SQLException {
        Rows.update(
                connection,
                "INSERT INTO movements (id, product_id, variant_id, quantity_delta, reason, order_id) VALUES (?, ?, ?, ?, ?, ?)",
                movement,
                delta.productId(),
                delta.variantId(),
                delta.quantity(),
                reason,
                order);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("movementId", movement);
        item(data, delta);
        data.put("quantityDelta", delta.quantity());
        data.put("reason", reason);
        data.put("createdAt", now());
        emit(connection, outbox, "inventory.stock.movement.v1", delta, data);
    }

    /** Adds to a stock row; false if a number would become negative. */
    private static boolean change(Connection connection, Item item, int available, int reserved) throws SQLException {
        return Rows.update(
                        connection, """
                        UPDATE stock SET available = available + ?, reserved = reserved + ?, updated_at = now()
                        WHERE product_id = ? AND variant_id IS NOT DISTINCT FROM CAST(? AS uuid)
                          AND available + ? >= 0 AND reserved + ? >= 0""", available, reserved, item.productId(), item.variantId(), available, reserved)
                == 1;
    }

    /**
     * Reserves all items of an order, or none.
     *
     * @return why nothing was reserved; empty if all items are reserved
     */
    static Optional<Missing> reserve(
            Connection connection, UUID order, List<Item> items, @Nullable OffsetDateTime expiresAt)
            throws SQLException {
        if (Rows.first(connection, "SELECT 1 FROM closed_orders WHERE order_id = ?", row -> true, order)
                .isPresent()) {
            return Optional.of(new Missing("The order is closed."));
        }
        List<Item> sorted = items.stream()
                .sorted(Comparator.comparing(item -> item.productId() + "/" + item.variantId()))
                .toList();
        for (Item item : sorted) {
            int available = Rows.first(
                            connection,
                            "SELECT available FROM stock WHERE product_id = ? AND variant_id IS NOT DISTINCT FROM CAST(? AS uuid) FOR UPDATE",
                            row -> row.getInt(1),
                            item.productId(),
                            item.variantId())
                    .orElse(0);
            if (available < item.quantity()) {
                return Optional.of(new Missing("Product " + item.productId() + ": " + item.quantity() + " ordered, "
                        + available + " available."));
            }
        }
        for (Item item : sorted) {
            change(connection, item, -item.quantity(), item.quantity());
            Rows.update(
                    connection,
                    "INSERT INTO reservations (id, order_id, product_id, variant_id, quantity, status, expires_at)"
                            + " VALUES (?, ?, ?, ?, ?, 'RESERVED', ?)",
                    Reservation.id(order, item),
                    order,
                    item.productId(),
                    item.variantId(),
                    item.quantity(),
                    expiresAt);
        }
        return Optional.empty();
    }

    static Map<String, Object> reserved(
            UUID order, Item item, @Nullable OffsetDateTime expiresAt, int line, int lines) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("reservationId", Reservation.id(order, item));
        data.put("orderId", order);
        item(data, item);
        data.put("quantity", item.quantity());
        data.put("reservedAt", now());
        data.put("expiresAt", expiresAt == null ? null : expiresAt.toInstant().toString());
        data.put("line", line);
        data.put("lines", lines);
        return data;
    }

    /** Confirms the reservations of an order that are open. Reservations in another state stay as they are. */
    static void confirmOrder(Connection connection, Outbox<Connection> outbox, UUID order) throws SQLException {
        for (Reservation reservation : ofOrder(connection, order)) {
            if (reservation.status() == Status.RESERVED) {
                confirm(connection, outbox, reservation);
            }
        }
    }

    /** Removes the reserved goods from the warehouse. */
    static void confirm(Connection connection, Outbox<Connection> outbox, Reservation reservation) throws SQLException {
        Item item = reservation.item();
        change(connection, item, 0, -item.quantity());
        status(connection, reservation.id(), Status.CONFIRMED);
        recordMovement(
                connection,
                outbox,
                Reservation.named("sale/" + reservation.id()),
                new Item(item.productId(), item.variantId(), -item.quantity()),
                "SALE",
                reservation.orderId());
        Map<String, Object> data = data(reservation);
        data.put("confirmedAt", now());
        emit(connection, outbox, "inventory.stock.confirmed.v1", item, data);
    }

    /** Releases the reservations of an order, returns confirmed goods to the stock, and records that the order is closed. */
    static void closeOrder(Connection connection, Outbox<Connection> outbox, UUID order, String reason)
            throws SQLException {
        Rows.update(connection, "INSERT INTO closed_orders (order_id) VALUES (?) ON CONFLICT DO NOTHING", order);
        for (Reservation reservation : ofOrder(connection, order)) {
            if (reservation.status() == Status.RESERVED || reservation.status() == Status.CONFIRMED) {
                release(connection, outbox, reservation, Status.RELEASED, reason);
            }
        }
    }

    /** @param status RELEASED or EXPIRED */
    static void release(
            Connection connection, Outbox<Connection> outbox, Reservation reservation, Status status, String reason)
            throws SQLException {
        Item item = reservation.item();
        if (reservation.status() == Status.CONFIRMED) {
            move(
                    connection,
                    outbox,
                    Reservation.named("return/" + reservation.id()),
                    item,
                    "RETURN",
                    reservation.orderId());
        } else {
            change(connection, item, item.quantity(), -item.quantity());
        }
        status(connection, reservation.id(), status);
        Map<String, Object> data = data(reservation);
        data.put("releasedAt", now());
        data.put("reason", reason);
        emit(connection, outbox, "inventory.stock.released.v1", item, data);
    }

    /** Locks the reservations of an order. */
    private static List<Reservation> ofOrder(Connection connection, UUID order) throws SQLException {
        return Rows.list(
                connection,
                SELECT + "WHERE order_id = ? ORDER BY product_id, variant_id FOR UPDATE",
                Stock::reservation,
                order);
    }

    /** Locks a reservation. */
    static Optional<Reservation> find(Connection connection, UUID id) throws SQLException {
        return Rows.first(connection, SELECT + "WHERE id = ? FOR UPDATE", Stock::reservation, id);
    }

    /** Locks reservations that have expired; skips those that another transaction has locked. */
    static List<Reservation> overdue(Connection connection) throws SQLException {
        return Rows.list(
                connection,
                SELECT + "WHERE status = 'RESERVED' AND expires_at < now() ORDER BY product_id, variant_id LIMIT 100"
                        + " FOR UPDATE SKIP LOCKED",
                Stock::reservation);
    }

    private static Reservation reservation(ResultSet row) throws SQLException {
        return new Reservation(
                row.getObject("id", UUID.class),
                row.getObject("order_id", UUID.class),
                new Item(
                        row.getObject("product_id", UUID.class),
                        row.getObject("variant_id", UUID.class),
                        row.getInt("quantity")),
                Status.valueOf(row.getString("status")),
                row.getObject("expires_at", OffsetDateTime.class),
                row.getObject("updated_at", OffsetDateTime.class));
    }

    private static void status(Connection connection, UUID reservation, Status status) throws SQLException {
        Rows.update(
                connection,
                "UPDATE reservations SET status = ?, updated_at = now() WHERE id = ?",
                status.name(),
                reservation);
    }

    private static Map<String, Object> data(Reservation reservation) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("reservationId", reservation.id());
        data.put("orderId", reservation.orderId());
        item(data, reservation.item());
        data.put("quantity", reservation.item().quantity());
        return data;
    }

    private static void item(Map<String, Object> data, Item item) {
        data.put("productId", item.productId());
        if (item.variantId() != null) {
            data.put("variantId", item.variantId());
        }
    }

    static void emit(
            Connection connection, Outbox<Connection> outbox, String type, Item item, Map<String, Object> data) {
        outbox.append(connection, ServiceRuntime.event(type, "Stock", item.productId(), data));
    }

    static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }
}

package io.waybill.examples.polyshop.checker;

import io.waybill.examples.polyshop.service.Rows;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Compares the databases of the services when the shop is idle: orders, sagas, reservations, stock, payments, mails and revenue. It
 * shares no code with the services and reads only their tables.
 */
public final class Checker {
    private static final Set<String> PAID = Set.of("PAID", "FULFILLING", "FULFILLED");
    private static final Set<String> CLOSED = Set.of("CANCELLED", "EXPIRED");

    private final UnaryOperator<String> databases;
    private final boolean payments;
    private final boolean mails;
    private final List<String> findings = new ArrayList<>();

    private record Order(String id, String status, BigDecimal total, String saga, boolean ended) {}

    private record Payment(String status, BigDecimal amount, BigDecimal refunded) {}

    private Checker(UnaryOperator<String> databases, boolean payments, boolean mails) {
        this.databases = databases;
        this.payments = payments;
        this.mails = mails;
    }

    /**
     * Returns the contradictions between the databases; empty if there are none.
     *
     * @param databases returns the JDBC address of a service's database
     * @param payments whether the service payment ran
     * @param mails whether the service notification ran
     */
    public static List<String> check(UnaryOperator<String> databases, boolean payments, boolean mails)
            throws SQLException {
        Checker checker = new Checker(databases, payments, mails);
        checker.check();
        return List.copyOf(checker.findings);
    }

    private void check() throws SQLException {
        Map<String, Order> orders = orders();
        orders.values().forEach(this::saga);
        reservations(orders);
        stock();
        if (payments) {
            payments(orders);
        }
        if (mails) {
            mails(orders);
        }
        revenue(orders);
        for (String service : List.of("order", "inventory", "search", "analytics")) {
            waiting(service);
        }
    }

    private Map<String, Order> orders() throws SQLException {
        Map<String, Order> orders = new LinkedHashMap<>();
        try (Connection connection = connect("order")) {
            Rows.list(connection, """
                    SELECT o.id, o.status, o.total_amount, s.status AS saga, s.ended_at IS NOT NULL AS ended,
                           (SELECT sum(total_price) FROM order_items i WHERE i.order_id = o.id) AS items
                    FROM orders o LEFT JOIN sagas s ON s.name = 'place-order' AND s.business_key = o.id::text""", row -> {
                Order order = new Order(
                        row.getString("id"),
                        row.getString("status"),
                        row.getBigDecimal("total_amount"),
                        String.valueOf(row.getString("saga")),
                        row.getBoolean("ended"));
                expect(
                        order.total().compareTo(row.getBigDecimal("items")) == 0,
                        "order %s: the total %s is not the sum of its items",
                        order.id(),
                        order.total());
                return orders.put(order.id(), order);
            });
        }
        return orders;
    }

    private void saga(Order order) {
        if (CLOSED.contains(order.status())) {
            expect(
                    order.ended() && order.saga().equals("ROLLED_BACK"),
                    "order %s is %s, but its saga is %s",
                    order.id(),
                    order.status(),
                    order.saga());
        } else if (order.status().equals("FULFILLED")) {
            expect(
                    order.ended() && order.saga().equals("COMPLETED"),
                    "order %s is FULFILLED, but its saga is %s",
                    order.id(),
                    order.saga());
        } else {
            expect(
                    !order.ended() && !order.saga().equals("null"),
                    "order %s is %s, but its saga has ended as %s",
                    order.id(),
                    order.status(),
                    order.saga());
        }
    }

    private void reservations(Map<String, Order> orders) throws SQLException {
        Map<String, Integer> ordered = new LinkedHashMap<>();
        try (Connection connection = connect("order")) {
            Rows.list(
                    connection,
                    "SELECT order_id, product_id, variant_id, quantity FROM order_items",
                    row -> ordered.put(
                            row.getString(1) + " " + row.getString(2) + " " + row.getString(3), row.getInt(4)));
        }
        Map<String, String> reserved = new LinkedHashMap<>();
        try (Connection connection = connect("inventory")) {
            Rows.list(
                    connection, "SELECT order_id, product_id, variant_id, quantity, status FROM reservations", row -> {
                        String item = row.getString(1) + " " + row.getString(2) + " " + row.getString(3);
                        if (orders.containsKey(row.getString(1))) {
                            expect(
                                    Integer.valueOf(row.getInt(4)).equals(ordered.get(item)),
                                    "reservation of %s: the quantity is not that of the order",
                                    item);
                        }
                        return reserved.put(item, row.getString(5));
                    });
        }
        for (String item : ordered.keySet()) {
            Order order = orders.get(item.substring(0, item.indexOf(' ')));
            String status = order == null ? "" : order.status();
            String reservation = reserved.getOrDefault(item, "none");
            boolean agrees = switch (status) {
                case "CANCELLED", "EXPIRED" -> Set.of("RELEASED", "none").contains(reservation);
                case "PAID", "FULFILLING", "FULFILLED" -> reservation.equals("CONFIRMED");
                case "PENDING_PAYMENT" -> reservation.equals("RESERVED");
                default -> true;
            };
            expect(agrees, "item %s: the order is %s, but its reservation is %s", item, status, reservation);
        }
    }

    private void stock() throws SQLException {
        try (Connection connection = connect("inventory")) {
            Rows.list(connection, """
                    SELECT s.product_id, s.variant_id, s.available, s.reserved,
                      (SELECT coalesce(sum(quantity_delta), 0) FROM movements m
                       WHERE m.product_id = s.product_id AND m.variant_id IS NOT DISTINCT FROM s.variant_id) AS moved,
                      (SELECT coalesce(sum(quantity), 0) FROM reservations r WHERE r.status = 'RESERVED'
                       AND r.product_id = s.product_id AND r.variant_id IS NOT DISTINCT FROM s.variant_id) AS held
                    FROM stock s""", row -> {
                expect(
                        row.getLong("available") + row.getLong("reserved") == row.getLong("moved"),
                        "product %s: %s available and %s reserved are not the sum of its movements, %s",
                        row.getString(1),
                        row.getLong("available"),
                        row.getLong("reserved"),
                        row.getLong("moved"));
                expect(
                        row.getLong("reserved") == row.getLong("held"),
                        "product %s: %s reserved, but its reservations hold %s",
                        row.getString(1),
                        row.getLong("reserved"),
                        row.getLong("held"));
                return true;
            });
        }
    }

    private void payments(Map<String, Order> orders) throws SQLException {
        Map<String, Payment> payments = new LinkedHashMap<>();
        try (Connection connection = connect("payment")) {
            Rows.list(
                    connection,
                    """
                    SELECT order_id, status, amount, (SELECT coalesce(sum(r.amount), 0) FROM refunds r
                      WHERE r.payment_id = p.id AND r.status <> 'FAILED') AS refunded FROM payments p""",
                    row -> payments.put(
                            row.getString(1),
                            new Payment(row.getString(2), row.getBigDecimal(3), row.getBigDecimal(4))));
        }
        for (Order order : orders.values()) {
            Payment payment = payments.get(order.id());
            String status = payment == null ? "none" : payment.status();
            if (PAID.contains(order.status())) {
                expect(
                        status.equals("SUCCESS"),
                        "order %s is %s, but its payment is %s",
                        order.id(),
                        order.status(),
                        status);
            } else if (CLOSED.contains(order.status())) {
                expect(
                        Set.of("FAILED", "EXPIRED", "REFUNDED", "none").contains(status),
                        "order %s is %s, but its payment is %s",
                        order.id(),
                        order.status(),
                        status);
            }
            if (payment != null) {
                expect(
                        payment.amount().compareTo(order.total()) == 0,
                        "order %s costs %s, but its payment is about %s",
                        order.id(),
                        order.total(),
                        payment.amount());
                expect(
                        !status.equals("REFUNDED") || payment.refunded().compareTo(payment.amount()) == 0,
                        "the payment of order %s is REFUNDED, but only %s of it",
                        order.id(),
                        payment.refunded());
            }
        }
        payments.keySet()
                .forEach(id -> expect(orders.containsKey(id), "there is a payment for %s, which is no order", id));
    }

    private void mails(Map<String, Order> orders) throws SQLException {
        Map<String, Integer> confirmations = new LinkedHashMap<>();
        try (Connection connection = connect("notification")) {
            Rows.list(
                    connection,
                    "SELECT metadata->>'orderId' AS order_id, template, count(*) AS mails FROM email_logs"
                            + " WHERE status = 'SENT' AND metadata->>'orderId' IS NOT NULL GROUP BY 1, 2",
                    row -> {
                        expect(
                                row.getInt("mails") == 1,
                                "order %s: %s mails of %s",
                                row.getString(1),
                                row.getInt("mails"),
                                row.getString(2));
                        return row.getString("template").contains("confirmation")
                                && confirmations.put(row.getString(1), 1) == null;
                    });
        }
        for (Order order : orders.values()) {
            expect(confirmations.containsKey(order.id()), "order %s has no confirmation mail", order.id());
        }
    }

    private void revenue(Map<String, Order> orders) throws SQLException {
        BigDecimal expected = orders.values().stream()
                .filter(order -> PAID.contains(order.status()))
                .map(Order::total)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        try (Connection connection = connect("analytics")) {
            Rows.list(
                    connection,
                    "SELECT coalesce(sum(total_orders), 0) AS orders, coalesce(sum(total_revenue), 0) AS revenue FROM sales_daily",
                    row -> {
                        expect(
                                row.getLong("orders") == orders.size(),
                                "analytics counts %s orders, but there are %s",
                                row.getLong("orders"),
                                orders.size());
                        expect(
                                row.getBigDecimal("revenue").compareTo(expected) == 0,
                                "analytics has a revenue of %s, but paid orders cost %s",
                                row.getBigDecimal("revenue"),
                                expected);
                        return true;
                    });
        }
    }

    /** Events that an inbox still retries, and its dead letters. */
    private void waiting(String service) throws SQLException {
        try (Connection connection = connect(service)) {
            for (String table : List.of("inbox_held", "inbox_dead_letters")) {
                boolean exists = Rows.first(
                                connection, "SELECT to_regclass(?) IS NOT NULL", row -> row.getBoolean(1), table)
                        .orElse(false);
                if (exists) {
                    long rows = Rows.first(connection, "SELECT count(*) FROM " + table, row -> row.getLong(1))
                            .orElse(0L);
                    expect(rows == 0, "service %s has %s rows in %s", service, rows, table);
                }
            }
        }
    }

    private Connection connect(String service) throws SQLException {
        return DriverManager.getConnection(databases.apply(service));
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need another library
    private void expect(boolean agrees, String finding, Object... values) {
        if (!agrees) {
            findings.add(String.format(finding, values));
        }
    }
}

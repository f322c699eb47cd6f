package io.waybill.examples.polyshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.waybill.examples.polyshop.checker.Checker;
import io.waybill.examples.polyshop.launcher.Client;
import io.waybill.examples.polyshop.launcher.Shop;
import io.waybill.examples.polyshop.launcher.Toolchain;
import io.waybill.testkit.servers.NotRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The whole shop, in processes of its own: each outcome of an order, and the same while services and servers are killed. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShopTest {
    private static final ConditionFactory PATIENTLY =
            await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(200));
    private static final Map<String, String> ADDRESS =
            Map.of("line1", "12 Harbour Street", "city", "Porto", "postalCode", "4000", "country", "PT");

    @TempDir
    static Path folder;

    private static final Queue<byte[]> spans = new ConcurrentLinkedQueue<>();
    private static HttpServer receiver;
    private static Shop shop;
    private static Client admin;
    private static Client customer;
    private static String product;
    private static String unpaid;

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        Path home = Path.of("../..").toRealPath();
        Toolchain.payment(home).ifPresent(NotRun::because);
        Toolchain.notification(home).ifPresent(NotRun::because);
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/v1/traces", exchange -> {
            spans.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        shop = new Shop(
                home,
                folder,
                Map.of(
                        "PAYMENT_TIMEOUT", "90s",
                        "RESERVE_TIMEOUT", "20s",
                        "INTENT_TIMEOUT", "20s",
                        "CANCELLATION_WINDOW", "1s",
                        "READ_TIMEOUT", "20s",
                        "RATE_LIMIT", "1000",
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                                "http://127.0.0.1:" + receiver.getAddress().getPort(),
                        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                        "OTEL_BSP_SCHEDULE_DELAY", "500"),
                line -> {});
        shop.start(true);
        Client gateway = Client.of(shop.url("gateway"));
        admin = gateway.login(Shop.ADMIN, shop.adminPassword());
        Map<String, String> ada = Map.of("email", "ada@example.org", "password", "correct horse", "fullName", "Ada");
        assertThat(gateway.post("/auth/register", ada).status()).isEqualTo(201);
        customer = gateway.login("ada@example.org", "correct horse");
        product = admin.post("/products", Map.of("name", "Tea", "price", 12.5))
                .body()
                .path("id")
                .stringValue();
        assertThat(admin.post(
                                "/stock/movements",
                                Map.of("productId", product, "quantityDelta", 100, "reason", "PURCHASE"))
                        .status())
                .isEqualTo(201);
        PATIENTLY.until(() -> place(1_000).status() == 201); // order has read the price
        unpaid = placed(1); // expires while the other tests run
    }

    @AfterAll
    static void close() {
        if (shop != null) {
            shop.close();
        }
        if (receiver != null) {
            receiver.stop(0);
        }
    }

    private static Client.Answer place(int quantity) {
        return customer.post(
                "/orders",
                Map.of(
                        "items",
                        List.of(Map.of("productId", product, "quantity", quantity)),
                        "shippingAddress",
                        ADDRESS),
                "order-" + UUID.randomUUID());
    }

    private static String placed(int quantity) {
        Client.Answer answer = place(quantity);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.body().path("id").stringValue();
    }

    private static String status(String order) {
        return customer.get("/orders/" + order).body().path("status").asString("");
    }

    private static void awaitStatus(String order, String expected) {
        PATIENTLY.untilAsserted(() -> assertThat(status(order)).isEqualTo(expected));
    }

    private static String reference(String order) throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.jdbcUrl("payment"));
                Statement statement = connection.createStatement();
                var rows =
                        statement.executeQuery("SELECT provider_ref FROM payments WHERE order_id = '" + order + "'")) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    private static void provider(String order, String action) throws SQLException {
        String path = "/checkout/" + reference(order) + "/" + action;
        PATIENTLY.untilAsserted(() -> {
            Client.Answer answer = Client.of(shop.url("gateway")).post(path, null);
            assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        });
    }

    private static void fulfilled(String order) throws SQLException {
        awaitStatus(order, "PENDING_PAYMENT");
        PATIENTLY.until(() -> !reference(order).isEmpty());
        provider(order, "pay");
        awaitStatus(order, "FULFILLING");
        PATIENTLY.until(() -> admin.post("/orders/" + order + "/fulfil", null).status() == 200);
        awaitStatus(order, "FULFILLED");
    }

    private static List<String> findings() throws SQLException {
        return Checker.check(shop::jdbcUrl, true, true);
    }

    @Test
    @Order(1)
    void aPaidOrderIsFulfilledAndItsTraceHasAllHops() throws SQLException {
        Client.Answer answer = place(2);
        String order = answer.body().path("id").stringValue();
        String trace = answer.header("X-Trace-Id").orElseThrow();

        fulfilled(order);

        for (String service : List.of(
                "gateway", "order-service", "inventory-service", "payment-service", "notification-service", "relay")) {
            PATIENTLY.untilAsserted(() ->
                    assertThat(spans).as("spans of %s", service).anyMatch(request -> hasSpan(request, service, trace)));
        }
    }

    /** Whether an export request of this service contains the trace: in OTLP as protobuf its 16 bytes, as JSON its hexadecimal digits. */
    private static boolean hasSpan(byte[] request, String service, String trace) {
        String text = new String(request, java.nio.charset.StandardCharsets.UTF_8);
        return text.contains(service)
                && (text.contains(trace) || HexFormat.of().formatHex(request).contains(trace));
    }

    @Test
    @Order(2)
    void anOrderWithoutStockIsCancelled() {
        awaitStatus(placed(1_000), "CANCELLED");
    }

    @Test
    @Order(3)
    void anOrderWhosePaymentFailsIsCancelled() throws SQLException {
        String order = placed(1);
        PATIENTLY.until(() -> !reference(order).isEmpty());
        provider(order, "fail");
        awaitStatus(order, "CANCELLED");
    }

    @Test
    @Order(4)
    void aCustomerCanCancelAnOrderOnce() {
        String cancelled = placed(1);
        awaitStatus(cancelled, "PENDING_PAYMENT");

        assertThat(customer.post("/orders/" + cancelled + "/cancel", null).status())
                .isEqualTo(200);

        assertThat(status(cancelled)).isEqualTo("CANCELLED");
        assertThat(customer.post("/orders/" + cancelled + "/cancel", null).status())
                .isEqualTo(409);
    }

    @Test
    @Order(5)
    void aRepeatedRequestAndARepeatedWebhookHaveOneEffect() throws SQLException {
        Map<String, Object> body =
                Map.of("items", List.of(Map.of("productId", product, "quantity", 1)), "shippingAddress", ADDRESS);
        String first =
                customer.post("/orders", body, "order-same").body().path("id").stringValue();
        assertThat(customer.post("/orders", body, "order-same")
                        .body()
                        .path("id")
                        .stringValue())
                .isEqualTo(first);
        Map<String, Object> other =
                Map.of("items", List.of(Map.of("productId", product, "quantity", 2)), "shippingAddress", ADDRESS);
        assertThat(customer.post("/orders", other, "order-same").status()).isEqualTo(409);
        PATIENTLY.until(() -> !reference(first).isEmpty());

        provider(first, "pay");
        provider(first, "pay");

        awaitStatus(first, "FULFILLING");
    }

    @Test
    @Order(6)
    void ordersEndWhileServicesAndServersAreKilled() throws SQLException {
        for (String victim : List.of("inventory", "payment", "order", "notification", "relay")) {
            String order = placed(1);
            shop.kill(victim);
            shop.restart(victim);
            fulfilled(order);
        }
        String duringKafka = placed(1);
        shop.kafka().kill();
        shop.kafka().restart();
        fulfilled(duringKafka);
        String duringPostgres = placed(1);
        shop.postgres().kill();
        shop.postgres().restart();
        shop.services().forEach(shop::awaitUp);
        fulfilled(duringPostgres);
    }

    @Test
    @Order(7)
    void anUnpaidOrderExpires() {
        awaitStatus(unpaid, "EXPIRED");
    }

    @Test
    @Order(8)
    void theDatabasesAgreeAndTheCheckerFindsSeededErrors() throws SQLException {
        PATIENTLY.untilAsserted(() -> assertThat(findings()).isEmpty());
        corrupt(
                "inventory",
                "UPDATE stock SET available = available + 1",
                "UPDATE stock SET available = available - 1");
        corrupt("payment", "UPDATE payments SET amount = amount + 1", "UPDATE payments SET amount = amount - 1");
        corrupt(
                "analytics",
                "UPDATE sales_daily SET total_revenue = total_revenue + 1",
                "UPDATE sales_daily SET total_revenue = total_revenue - 1");
        corrupt(
                "order",
                "UPDATE orders SET status = 'PAID' WHERE status = 'EXPIRED'",
                "UPDATE orders SET status = 'EXPIRED' WHERE status = 'PAID'");
        assertThat(findings()).isEmpty();
    }

    private static void corrupt(String service, String wrong, String right) throws SQLException {
        execute(service, wrong);
        assertThat(findings()).as(wrong).isNotEmpty();
        execute(service, right);
    }

    private static void execute(String service, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.jdbcUrl(service));
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql)).isPositive();
        }
    }

    @Test
    @Order(9)
    void theGatewayChecksTokensAndRoles() {
        Client nobody = Client.of(shop.url("gateway"));
        assertThat(nobody.get("/orders").status()).isEqualTo(401);
        assertThat(nobody.withToken("e30.e30.e30").get("/orders").status()).isEqualTo(401);
        assertThat(customer.get("/users").status()).isEqualTo(403);
        assertThat(customer.get("/analytics/summary").status()).isEqualTo(403);
        assertThat(admin.get("/analytics/summary").status()).isEqualTo(200);
        assertThat(customer.get("/nothing/here").status()).isEqualTo(404);
        Client.Answer wrong = customer.post("/orders", Map.of("items", List.of()), "order-wrong");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.body().propertyNames())
                .contains("timestamp", "status", "error", "code", "message", "path", "requestId", "details");
    }
}

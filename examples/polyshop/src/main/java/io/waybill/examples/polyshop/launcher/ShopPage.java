package io.waybill.examples.polyshop.launcher;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.waybill.WaybillException;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.Rows;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The page of the shop and its API, which shop-api.md describes. */
public final class ShopPage implements AutoCloseable {
    private static final Pattern OWN_HOST = Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d{1,5})?");
    private static final Map<String, String> TYPES = Map.of(
            "html",
            "text/html",
            "js",
            "text/javascript",
            "css",
            "text/css",
            "svg",
            "image/svg+xml",
            "png",
            "image/png");
    private static final Set<String> JAVA =
            Set.of("auth", "product", "inventory", "order", "search", "analytics", "gateway", "relay");
    private static final String CONTENT_POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Shop shop;
    private final TopicWatch events;
    private final Faults faults;
    private final DemoCustomer customer;
    private final Set<Thread> streams = ConcurrentHashMap.newKeySet();
    private final Javalin server;
    private volatile boolean closed;

    private ShopPage(Shop shop, int port) {
        this.shop = shop;
        this.events = TopicWatch.start(shop.kafka().bootstrapServers());
        this.faults = new Faults(shop);
        this.customer = new DemoCustomer(shop);
        this.server = Javalin.create(this::configure).start("127.0.0.1", port);
    }

    /** @param port 0 for any free port */
    public static ShopPage start(Shop shop, int port) {
        ShopPage page = new ShopPage(shop, port);
        page.customer.open();
        return page;
    }

    public String address() {
        return "http://127.0.0.1:" + server.port();
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.maxRequestSize = 10_000;
        config.routes.before(this::guard);
        config.routes.get("/", context -> file(context, "index.html"));
        config.routes.get("/api/state", context -> HttpApi.json(context, 200, state()));
        config.routes.get("/api/stream", this::stream);
        config.routes.post("/api/orders", context -> {
            JsonNode body = Json.tree(context.body());
            int quantity = body.path("quantity").isInt() ? body.path("quantity").intValue() : 1;
            pass(context, customer.place(quantity));
        });
        config.routes.post("/api/orders/{id}/pay", context -> pay(context, id(context)));
        config.routes.post(
                "/api/orders/{id}/fulfil",
                context -> pass(context, customer.admin().post("/orders/" + id(context) + "/fulfil", null)));
        config.routes.post(
                "/api/orders/{id}/cancel",
                context -> pass(context, customer.admin().post("/orders/" + id(context) + "/cancel", null)));
        config.routes.post("/api/faults/<name>", context -> fault(context, true));
        config.routes.delete("/api/faults/<name>", context -> fault(context, false));
        config.routes.get("/{file}", context -> file(context, context.pathParam("file")));
        config.routes.exception(
                Exception.class,
                (failure, context) -> HttpApi.json(
                        context,
                        failure instanceof Refused refused ? refused.status : 500,
                        Map.of("message", String.valueOf(failure.getMessage()))));
    }

    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        Refused(int status, String message) {
            super(message);
            this.status = status;
        }
    }

    /** Refuses requests of pages of other sites: those under another host name, and those with another origin. */
    private void guard(Context context) {
        context.header("Content-Security-Policy", CONTENT_POLICY);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("Cache-Control", "no-store");
        String host = context.header("Host");
        String origin = context.header("Origin");
        if (host == null || !OWN_HOST.matcher(host).matches()) {
            throw new Refused(403, "This page answers to loopback names only.");
        }
        if (origin != null && !origin.equals("http://" + host)) {
            throw new Refused(403, "This page does not answer to requests of other pages.");
        }
    }

    private static void file(Context context, String name) {
        String extension = name.substring(name.lastIndexOf('.') + 1);
        String type = TYPES.get(extension);
        if (type == null || !name.matches("[a-z0-9-]+\\.[a-z]+")) {
            throw new Refused(404, "There is no such file.");
        }
        try (InputStream file = ShopPage.class.getResourceAsStream("/io/waybill/examples/polyshop/shop/" + name)) {
            if (file == null) {
                throw new Refused(404, "There is no such file.");
            }
            context.contentType(type).result(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static UUID id(Context context) {
        try {
            return UUID.fromString(context.pathParam("id"));
        } catch (IllegalArgumentException e) {
            throw new Refused(404, "There is no such order.");
        }
    }

    private static void pass(Context context, Client.Answer answer) {
        context.status(answer.status() == 0 ? 503 : answer.status())
                .contentType("application/json; charset=utf-8")
                .result(answer.text());
    }

    private void pay(Context context, UUID order) {
        if (!shop.has("payment")) {
            throw new Refused(503, "The service payment does not run.");
        }
        String reference;
        try {
            reference = query(
                            "payment",
                            "SELECT provider_ref FROM payments WHERE order_id = '" + order + "'",
                            row -> row.getString(1))
                    .stream()
                    .findFirst()
                    .orElseThrow(() -> new Refused(409, "The order has no payment yet."));
        } catch (SQLException e) {
            throw new Refused(503, "The database of the service payment does not answer.");
        }
        pass(context, Client.of(shop.url("payment")).post("/checkout/" + reference + "/pay", null));
    }

    private void fault(Context context, boolean begin) {
        if (!faults.set(context.pathParam("name"), begin)) {
            throw new Refused(404, "There is no such fault.");
        }
        context.status(204);
    }

    private Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("gateway", shop.url("gateway"));
        List<Map<String, Object>> services = new ArrayList<>();
        for (String service : shop.services()) {
            services.add(service(service));
        }
        services.add(service("relay"));
        shop.missing()
                .forEach((service, reason) -> services.add(
                        Map.of("name", service, "language", language(service), "status", "MISSING", "detail", reason)));
        state.put("services", services);
        state.put(
                "servers",
                List.of(
                        server("postgresql", shop.postgres().running()),
                        server("kafka", shop.kafka().running())));
        state.put("orders", orders());
        state.put("topics", events.counts());
        state.put("deadLetters", events.deadLetters());
        state.put("faults", faults.all());
        return state;
    }

    private Map<String, Object> service(String name) {
        Map<String, Object> service = new LinkedHashMap<>();
        service.put("name", name);
        service.put("language", language(name));
        service.put("status", shop.isUp(name) ? "UP" : "DOWN");
        service.put("url", shop.url(name));
        service.put("pid", shop.pid(name).orElse(null));
        return service;
    }

    private static String language(String service) {
        return JAVA.contains(service) ? "Java" : service.equals("payment") ? "Node" : "Python";
    }

    private static Map<String, Object> server(String name, boolean up) {
        return Map.of("name", name, "status", up ? "UP" : "DOWN");
    }

    /** Reads the last orders with their sagas; empty while the database does not answer. */
    private List<Map<String, Object>> orders() {
        List<Map<String, Object>> orders = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(shop.jdbcUrl("order"))) {
            List<UUID> ids = new ArrayList<>();
            Rows.list(connection, """
                    SELECT o.id, o.user_id, o.status, o.total_amount, o.currency, o.created_at, o.headers, s.status AS saga
                    FROM orders o LEFT JOIN sagas s ON s.name = 'place-order' AND s.business_key = o.id::text
                    ORDER BY o.created_at DESC, o.id LIMIT 20""", row -> {
                Map<String, Object> order = new LinkedHashMap<>();
                ids.add(row.getObject("id", UUID.class));
                order.put("id", row.getObject("id", UUID.class));
                order.put("userId", row.getString("user_id"));
                order.put("status", row.getString("status"));
                order.put("totalAmount", row.getBigDecimal("total_amount"));
                order.put("currency", row.getString("currency"));
                order.put("createdAt", time(row.getObject("created_at", OffsetDateTime.class)));
                order.put(
                        "traceId",
                        TopicWatch.traceId(Json.tree(row.getString("headers"))
                                .path("traceparent")
                                .asString("")));
                Map<String, Object> saga = new LinkedHashMap<>();
                saga.put("status", row.getString("saga"));
                order.put("saga", saga);
                return orders.add(order);
            });
            for (int i = 0; i < orders.size(); i++) {
                if (orders.get(i).get("saga") instanceof Map<?, ?> saga) {
                    Map<String, Object> filled = new LinkedHashMap<>();
                    filled.put("status", saga.get("status"));
                    filled.put("steps", steps(connection, ids.get(i)));
                    orders.get(i).put("saga", filled);
                }
            }
        } catch (SQLException e) {
            return List.of();
        }
        return orders;
    }

    private static List<Map<String, Object>> steps(Connection connection, UUID order) throws SQLException {
        return Rows.list(
                connection,
                "SELECT h.step, h.kind, h.at FROM saga_history h JOIN sagas s ON s.id = h.saga_id"
                        + " WHERE s.name = 'place-order' AND s.business_key = ? ORDER BY h.revision, h.position",
                row -> {
                    Map<String, Object> step = new LinkedHashMap<>();
                    step.put("step", row.getString("step") == null ? "saga" : row.getString("step"));
                    step.put("status", row.getString("kind"));
                    step.put("timestamp", time(row.getObject("at", OffsetDateTime.class)));
                    return step;
                },
                order.toString());
    }

    private static @Nullable String time(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant().toString();
    }

    private <R> List<R> query(String service, String sql, Rows.Reader<R> reader) throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.jdbcUrl(service))) {
            return Rows.list(connection, sql, reader);
        }
    }

    /** Writes events until the browser or this page closes. */
    private void stream(Context context) throws IOException {
        context.res().setContentType("text/event-stream");
        context.res().setCharacterEncoding("UTF-8");
        streams.add(Thread.currentThread());
        BlockingQueue<String> queue = events.subscribe();
        try {
            var out = context.res().getOutputStream();
            out.write(": open\n\n".getBytes(StandardCharsets.UTF_8));
            context.res().flushBuffer();
            while (!closed) {
                String event = queue.poll(15, TimeUnit.SECONDS);
                String block = event == null ? ": alive\n\n" : "event: event\ndata: " + event + "\n\n";
                out.write(block.getBytes(StandardCharsets.UTF_8));
                context.res().flushBuffer();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            events.unsubscribe(queue);
            streams.remove(Thread.currentThread());
        }
    }

    @Override
    public void close() {
        closed = true;
        streams.forEach(Thread::interrupt);
        try {
            faults.endAll();
        } catch (WaybillException e) {
            // the shop closes next
        }
        server.stop();
        events.close();
    }
}

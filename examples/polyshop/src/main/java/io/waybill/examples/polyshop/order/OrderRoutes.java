package io.waybill.examples.polyshop.order;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Caller;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.saga.Sagas;
import io.waybill.saga.store.SagaSignal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The HTTP API of the service. {@link RequestFilter} has checked the token. */
@RestController
class OrderRoutes {
    private static final int LARGEST_PAGE = 100;
    private static final Duration KEEP_RESPONSES = Duration.ofDays(1);

    private final Orders orders;
    private final OrderRows rows;
    private final IdempotencyKeys<Connection> keys;
    private final Sagas<Connection> sagas;
    private final DataSource database;
    private final PrometheusMeterRegistry metrics;

    OrderRoutes(
            Orders orders,
            OrderRows rows,
            IdempotencyKeys<Connection> keys,
            Sagas<Connection> sagas,
            DataSource database,
            PrometheusMeterRegistry metrics) {
        this.orders = orders;
        this.rows = rows;
        this.keys = keys;
        this.sagas = sagas;
        this.database = database;
        this.metrics = metrics;
    }

    /** A repeated request gets the response to the first one. The order, its event, its saga and the response are one transaction. */
    @PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<String> place(
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody String body,
            @RequestAttribute Caller caller) {
        if (key == null || !key.matches("[\\x21-\\x7e]{1,200}")) {
            throw ApiException.badRequest(
                    "The header Idempotency-Key is needed: 1 to 200 visible ASCII characters, such as order-<uuid>.");
        }
        NewOrder order = Json.read(body, NewOrder.class);
        order.checked();
        IdempotencyKeys.Response response =
                keys.answer("orders/" + caller.id(), key, hash(Json.write(order)), KEEP_RESPONSES, connection -> {
                    OrderView placed = orders.place(caller, order);
                    return new IdempotencyKeys.Response(201, Json.write(placed));
                });
        String id = Json.tree(response.body()).path("id").asString();
        return ResponseEntity.status(response.status())
                .contentType(MediaType.APPLICATION_JSON)
                .header("Location", "/orders/" + id)
                .body(response.body());
    }

    record Page(List<OrderView> items, int page, int size) {}

    @GetMapping("/orders")
    @Transactional(readOnly = true)
    ResponseEntity<String> list(
            @RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size,
            @RequestAttribute Caller caller) {
        if (page < 0 || page > 1_000_000 || size < 1 || size > LARGEST_PAGE) {
            throw ApiException.badRequest("page must be 0 or more, and size between 1 and " + LARGEST_PAGE + ".");
        }
        return json(new Page(rows.page(caller.isAdmin() ? null : caller.id(), page, size), page, size));
    }

    @GetMapping("/orders/{id}")
    @Transactional(readOnly = true)
    ResponseEntity<String> get(@PathVariable UUID id, @RequestAttribute Caller caller) {
        return json(own(id, caller));
    }

    record Reason(@Nullable String reason) {}

    @PostMapping("/orders/{id}/cancel")
    ResponseEntity<String> cancel(
            @PathVariable UUID id,
            @RequestBody(required = false) @Nullable String body,
            @RequestAttribute Caller caller) {
        own(id, caller);
        Reason given = body == null || body.isBlank() ? new Reason(null) : Json.read(body, Reason.class);
        String reason = given.reason() == null || given.reason().isBlank() ? "the customer cancelled" : given.reason();
        if (reason.length() > 500 || reason.matches("(?s).*[\\p{Cntrl}\\p{Cs}].*")) {
            throw ApiException.badRequest("reason must have up to 500 characters and no control characters.");
        }
        OrderView cancelled = orders.cancel(id, reason);
        // The order is closed already. Cancelling the saga only ends it sooner, because its next step would refuse.
        sagas.view()
                .find(PlaceOrder.NAME, id.toString())
                .filter(saga -> !saga.ended())
                .ifPresent(saga ->
                        sagas.operations().request(saga.id(), SagaSignal.Kind.CANCEL, null, null, caller.id(), reason));
        return json(cancelled);
    }

    record Shipment(@Nullable String trackingNumber) {}

    /** Admins report here that the warehouse has sent the goods. A real warehouse could publish the event itself. */
    @PostMapping("/orders/{id}/fulfil")
    ResponseEntity<String> fulfil(
            @PathVariable UUID id,
            @RequestBody(required = false) @Nullable String body,
            @RequestAttribute Caller caller) {
        if (!caller.isAdmin()) {
            throw ApiException.forbidden();
        }
        Shipment shipment = body == null || body.isBlank() ? new Shipment(null) : Json.read(body, Shipment.class);
        return json(orders.fulfil(id, shipment.trackingNumber()));
    }

    @GetMapping("/health")
    ResponseEntity<String> health() {
        Map<String, String> problems = new LinkedHashMap<>();
        try (Connection connection = database.getConnection()) {
            if (!connection.isValid(2)) {
                problems.put("database", "The connection is not valid.");
            }
        } catch (java.sql.SQLException e) {
            problems.put("database", String.valueOf(e.getMessage()));
        }
        if (!sagas.isRunning()) {
            problems.put("sagas", "The saga engine does not run.");
        }
        return ResponseEntity.status(problems.isEmpty() ? 200 : 503)
                .contentType(MediaType.APPLICATION_JSON)
                .body(Json.write(Map.of("status", problems.isEmpty() ? "UP" : "DOWN", "details", problems)));
    }

    @GetMapping("/metrics")
    ResponseEntity<String> metrics() {
        return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(metrics.scrape());
    }

    private OrderView own(UUID id, Caller caller) {
        return rows.find(id)
                .filter(order -> caller.isAdmin() || order.userId().equals(caller.id()))
                .orElseThrow(Orders::notFound);
    }

    private static ResponseEntity<String> json(Object body) {
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(Json.write(body));
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}

package io.waybill.examples.polyshop.inventory;

import io.javalin.http.Context;
import io.micrometer.core.instrument.Gauge;
import io.waybill.WaybillException;
import io.waybill.examples.polyshop.inventory.Reservation.Status;
import io.waybill.examples.polyshop.service.Access;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Caller;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.Rows;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.jdbc.saga.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The service inventory. */
public final class InventoryService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InventoryService.class);
    private static final Set<String> REASONS = Set.of("PURCHASE", "RETURN", "MANUAL_ADJUST", "CORRECTION");
    private static final int MOST_PIECES = 1_000_000;
    private static final Duration LONGEST_TTL = Duration.ofDays(7);

    private final ServiceRuntime runtime;
    private final IdempotencyKeys<Connection> keys;
    private @Nullable Future<?> expiries;
    private final ScheduledExecutorService expiry = Executors.newSingleThreadScheduledExecutor(run -> {
        Thread thread = new Thread(run, "expire-reservations");
        thread.setDaemon(true);
        return thread;
    });

    public InventoryService(ServiceSettings settings) {
        runtime = ServiceRuntime.of(settings);
        SagaSchema.apply(runtime.database());
        runtime.createTables(InventoryService.class, "inventory.sql");
        keys = runtime.inboxTables().idempotencyKeys();
        runtime.consume(new StockEvents(runtime)::handlers);
        Gauge.builder("inventory.reservations.count", this::reserved)
                .description("Reservations that are neither confirmed nor released")
                .register(runtime.metrics());
        runtime.http()
                .get("/stock", Access.USER, this::stock)
                .post("/stock/movements", Access.ADMIN, this::move)
                .post("/reservations", Access.ADMIN, this::reserve)
                .post(
                        "/reservations/{id}/confirm",
                        Access.ADMIN,
                        (context, caller) -> decide(context, Status.CONFIRMED))
                .post(
                        "/reservations/{id}/release",
                        Access.ADMIN,
                        (context, caller) -> decide(context, Status.RELEASED));
    }

    public InventoryService start() {
        runtime.start();
        expiries = expiry.scheduleWithFixedDelay(this::expire, 1, 1, TimeUnit.SECONDS);
        return this;
    }

    public int port() {
        return runtime.port();
    }

    private Number reserved() {
        return runtime.transaction(connection -> Rows.first(
                        connection,
                        "SELECT count(*) FROM reservations WHERE status = 'RESERVED'",
                        row -> row.getLong(1))
                .orElse(0L));
    }

    private void stock(Context context, Caller caller) {
        UUID product = ServiceRuntime.uuid("productId", context.queryParam("productId"));
        String variantText = context.queryParam("variantId");
        UUID variant = variantText == null ? null : ServiceRuntime.uuid("variantId", variantText);
        Stock.Level level = runtime.transaction(connection -> Stock.level(connection, product, variant))
                .orElseThrow(() -> ApiException.notFound("Inventory has no such product."));
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("productId", product);
        if (variant != null) {
            body.put("variantId", variant);
        }
        body.put("available", level.available());
        body.put("reserved", level.reserved());
        body.put("updatedAt", level.updatedAt().toInstant().toString());
        HttpApi.json(context, 200, body);
    }

    record Movement(
            @Nullable UUID productId,
            @Nullable UUID variantId,
            int quantityDelta,
            @Nullable String reason) {}

    /** With an Idempotency-Key, a repeated request moves the goods once. */
    private void move(Context context, Caller caller) {
        Movement body = HttpApi.body(context, Movement.class);
        List<String> problems = new ArrayList<>();
        UUID product = body.productId();
        String reason = body.reason();
        if (product == null) {
            problems.add("productId is missing");
        }
        if (body.quantityDelta() == 0 || Math.abs((long) body.quantityDelta()) > MOST_PIECES) {
            problems.add("quantityDelta must be between -" + MOST_PIECES + " and " + MOST_PIECES + ", and not 0");
        }
        if (reason == null || !REASONS.contains(reason)) {
            problems.add("reason must be PURCHASE, RETURN, MANUAL_ADJUST or CORRECTION");
        }
        if (product == null || reason == null || !problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
        answer(context, caller, "movements", Json.write(body), connection -> {
            UUID movement = UUID.randomUUID();
            Item delta = new Item(product, body.variantId(), body.quantityDelta());
            if (!Stock.move(connection, runtime.outbox(), movement, delta, reason, null)) {
                throw ApiException.conflict(
                        "INSUFFICIENT_STOCK", "Fewer goods are available than the movement removes.");
            }
            return new IdempotencyKeys.Response(201, Json.write(Map.of("movementId", movement)));
        });
    }

    record NewReservation(
            @Nullable UUID orderId,
            @Nullable UUID productId,
            @Nullable UUID variantId,
            int quantity,
            @Nullable Integer ttlSeconds) {}

    private void reserve(Context context, Caller caller) {
        NewReservation body = HttpApi.body(context, NewReservation.class);
        List<String> problems = new ArrayList<>();
        UUID order = body.orderId();
        UUID product = body.productId();
        Integer ttl = body.ttlSeconds();
        if (order == null) {
            problems.add("orderId is missing");
        }
        if (product == null) {
            problems.add("productId is missing");
        }
        if (body.quantity() < 1 || body.quantity() > MOST_PIECES) {
            problems.add("quantity must be between 1 and " + MOST_PIECES);
        }
        if (ttl != null && (ttl < 1 || ttl > LONGEST_TTL.toSeconds())) {
            problems.add("ttlSeconds must be between 1 and " + LONGEST_TTL.toSeconds());
        }
        if (order == null || product == null || !problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
        if (context.header("Idempotency-Key") == null) {
            throw ApiException.badRequest("The header Idempotency-Key is needed.");
        }
        Item item = new Item(product, body.variantId(), body.quantity());
        answer(context, caller, "reservations", Json.write(body), connection -> {
            OffsetDateTime expires =
                    ttl == null ? null : OffsetDateTime.now(ZoneOffset.UTC).plusSeconds(ttl);
            Optional<Reservation> known = Stock.find(connection, Reservation.id(order, item));
            if (known.isEmpty()) {
                Optional<Stock.Missing> missing = Stock.reserve(connection, order, List.of(item), expires);
                if (missing.isPresent()) {
                    throw ApiException.conflict(
                            "INSUFFICIENT_STOCK", missing.get().reason());
                }
                Stock.emit(
                        connection,
                        runtime.outbox(),
                        "inventory.stock.reserved.v1",
                        item,
                        Stock.reserved(order, item, expires, 1, 1));
            } else if (known.get().item().quantity() != item.quantity()) {
                throw ApiException.conflict("ALREADY_RESERVED", "The order has a reservation of another quantity.");
            }
            return new IdempotencyKeys.Response(
                    201,
                    Json.write(view(
                            Stock.find(connection, Reservation.id(order, item)).orElseThrow())));
        });
    }

    private interface Answer {
        IdempotencyKeys.Response run(Connection connection) throws SQLException;
    }

    private void answer(Context context, Caller caller, String scope, String request, Answer work) {
        String key = context.header("Idempotency-Key");
        IdempotencyKeys.Response response;
        if (key == null) {
            response = runtime.transaction(work::run);
        } else if (key.matches("[\\x21-\\x7e]{1,200}")) {
            response = keys.answer(
                    scope + "/" + caller.id(),
                    key,
                    Reservation.named(request).toString(),
                    Duration.ofDays(1),
                    connection -> {
                        try {
                            return work.run(connection);
                        } catch (SQLException e) {
                            throw new WaybillException("Cannot use the database: " + e.getMessage(), e);
                        }
                    });
        } else {
            throw ApiException.badRequest("The Idempotency-Key must have 1 to 200 visible ASCII characters.");
        }
        context.status(response.status())
                .contentType("application/json; charset=utf-8")
                .result(response.body());
    }

    /** Confirms or releases a reservation; a repeated request changes nothing. */
    private void decide(Context context, Status decision) {
        UUID id = ServiceRuntime.uuid("The id", context.pathParam("id"));
        Reservation decided = runtime.transaction(connection -> {
            Reservation reservation = Stock.find(connection, id)
                    .orElseThrow(() -> ApiException.notFound("There is no such reservation."));
            if (reservation.status() == decision) {
                return reservation;
            }
            if (reservation.status() != Status.RESERVED) {
                throw ApiException.conflict(
                        "RESERVATION_ENDED", "The reservation is " + reservation.status() + " already.");
            }
            if (decision == Status.CONFIRMED) {
                Stock.confirm(connection, runtime.outbox(), reservation);
            } else {
                Stock.release(connection, runtime.outbox(), reservation, decision, "An admin released it.");
            }
            return Stock.find(connection, id).orElseThrow();
        });
        HttpApi.json(context, 200, view(decided));
    }

    private static Map<String, Object> view(Reservation reservation) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", reservation.id());
        view.put("orderId", reservation.orderId());
        view.put("productId", reservation.item().productId());
        if (reservation.item().variantId() != null) {
            view.put("variantId", reservation.item().variantId());
        }
        view.put("quantity", reservation.item().quantity());
        view.put("status", reservation.status());
        OffsetDateTime expires = reservation.expiresAt();
        view.put("expiresAt", expires == null ? null : expires.toInstant().toString());
        view.put("updatedAt", reservation.updatedAt().toInstant().toString());
        return view;
    }

    private void expire() {
        try {
            runtime.transaction(connection -> {
                for (Reservation reservation : Stock.overdue(connection)) {
                    Stock.release(connection, runtime.outbox(), reservation, Status.EXPIRED, "Its time is over.");
                }
                return true;
            });
        } catch (RuntimeException e) {
            LOG.warn("Cannot expire reservations; retrying in a second: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        if (expiries != null) {
            expiries.cancel(false);
        }
        expiry.shutdownNow();
        runtime.close();
    }

    public static void main(String[] arguments) {
        new InventoryService(ServiceSettings.of("inventory-service", System.getenv())).start();
    }
}

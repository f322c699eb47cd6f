package io.waybill.examples.logistics.orders;

import io.waybill.examples.logistics.access.Tenants;
import io.waybill.inbox.IdempotencyKeys;
import jakarta.validation.Valid;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.Authentication;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.json.JsonMapper;

@RestController
@RequestMapping("/v2/orders")
class OrdersRoutesV2 {
    static final String TENANT = "X-Tenant-ID";
    private static final int LONGEST_KEY = 200;

    private final OrdersServiceV2 orders;
    private final Tenants tenants;
    private final IdempotencyKeys<Connection> keys;
    private final JsonMapper json;

    OrdersRoutesV2(OrdersServiceV2 orders, Tenants tenants, IdempotencyKeys<Connection> keys, JsonMapper json) {
        this.orders = orders;
        this.tenants = tenants;
        this.keys = keys;
        this.json = json;
    }

    /** A repeated request gets the response to the first one. The order, its event and the response are one transaction. */
    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<String> create(
            @RequestHeader(TENANT) UUID tenant,
            @RequestHeader("Idempotency-Key") String key,
            @Valid @RequestBody NewOrder order,
            Authentication user) {
        tenants.require(user, tenant);
        if (key.isBlank() || key.length() > LONGEST_KEY || !key.matches(NewOrder.TEXT)) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST,
                    "The Idempotency-Key must be a text of 1 to " + LONGEST_KEY + " characters.");
        }
        IdempotencyKeys.Response response = keys.answer(
                "orders/" + tenant,
                key,
                hash(json.writeValueAsString(order)),
                Duration.ofDays(1),
                connection -> new IdempotencyKeys.Response(
                        HttpStatus.CREATED.value(), json.writeValueAsString(orders.create(tenant, order))));
        return ResponseEntity.status(response.status())
                .contentType(MediaType.APPLICATION_JSON)
                .body(response.body());
    }

    @GetMapping
    @Transactional(readOnly = true)
    List<OrderSummary> list(
            @RequestHeader(TENANT) UUID tenant, @RequestParam(defaultValue = "20") int limit, Authentication user) {
        tenants.require(user, tenant);
        return orders.list(tenant, Math.max(1, Math.min(limit, 100)));
    }

    @GetMapping("/{id}")
    @Transactional(readOnly = true)
    OrderView get(@RequestHeader(TENANT) UUID tenant, @PathVariable UUID id, Authentication user) {
        tenants.require(user, tenant);
        return orders.get(tenant, id).orElseThrow(OrdersRoutesV2::notFound);
    }

    record StatusChange(String status) {}

    @PatchMapping(path = "/{id}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Transactional
    OrderView cancel(
            @RequestHeader(TENANT) UUID tenant,
            @PathVariable UUID id,
            @RequestBody StatusChange change,
            Authentication user) {
        tenants.require(user, tenant);
        if (!"CANCELLED".equals(change.status())) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "The status can only be changed to CANCELLED.");
        }
        return orders.cancel(tenant, id).orElseThrow(OrdersRoutesV2::notFound);
    }

    private static ResponseStatusException notFound() {
        return new ResponseStatusException(HttpStatus.NOT_FOUND, "The tenant has no such order.");
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

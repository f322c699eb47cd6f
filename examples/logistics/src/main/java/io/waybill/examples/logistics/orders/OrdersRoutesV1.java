package io.waybill.examples.logistics.orders;

import io.waybill.examples.logistics.access.Tenants;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.core.Authentication;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The deprecated version, without idempotency keys: a client that repeats a request creates a second order. */
@RestController
@RequestMapping("/v1/orders")
class OrdersRoutesV1 {
    private final OrdersServiceV2 orders;
    private final Tenants tenants;

    OrdersRoutesV1(OrdersServiceV2 orders, Tenants tenants) {
        this.orders = orders;
        this.tenants = tenants;
    }

    @ModelAttribute
    void deprecated(HttpServletResponse response) {
        response.setHeader("Warning", "299 - \"/v1/orders is deprecated; use /v2/orders\"");
        response.setHeader("Link", "</v2/orders>; rel=\"successor-version\"");
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    OrderView create(
            @RequestHeader(OrdersRoutesV2.TENANT) UUID tenant,
            @Valid @RequestBody NewOrder order,
            Authentication user) {
        tenants.require(user, tenant);
        return orders.create(tenant, order);
    }

    @GetMapping
    @Transactional(readOnly = true)
    List<OrderSummary> list(@RequestHeader(OrdersRoutesV2.TENANT) UUID tenant, Authentication user) {
        tenants.require(user, tenant);
        return orders.list(tenant, 100);
    }
}

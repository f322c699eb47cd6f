package io.waybill.examples.polyshop.launcher;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The customer who buys a product when the user of the page places an order. Creates the product, its stock and the customer. */
public final class DemoCustomer {
    private static final int STOCK = 1_000;
    private static final long POLL_MILLIS = 200;
    private static final int MOST_POLLS = 300;

    private final Shop shop;
    private final Client gateway;
    private final String email = "customer-" + UUID.randomUUID() + "@polyshop.example";
    private final String password = UUID.randomUUID().toString();
    private volatile String product = "";

    DemoCustomer(Shop shop) {
        this.shop = shop;
        this.gateway = Client.of(shop.url("gateway"));
    }

    void open() {
        Client admin = admin();
        product = require(
                        201,
                        admin.post(
                                "/products",
                                Map.of(
                                        "name",
                                        "Tea",
                                        "description",
                                        "Green tea, 100 g",
                                        "price",
                                        12.5,
                                        "currency",
                                        "EUR")))
                .body()
                .path("id")
                .stringValue();
        require(
                201,
                admin.post(
                        "/stock/movements",
                        Map.of("productId", product, "quantityDelta", STOCK, "reason", "PURCHASE")));
        require(201, gateway.post("/auth/register", Map.of("email", email, "password", password, "fullName", "Ada")));
        awaitSale();
    }

    /** Waits until the search finds the product: then its event has been published. */
    private void awaitSale() {
        for (int poll = 0; poll < MOST_POLLS; poll++) {
            if (gateway.get("/search/products?q=Tea").text().contains(product)) {
                return;
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static Client.Answer require(int status, Client.Answer answer) {
        if (answer.status() != status) {
            throw new IllegalStateException("The shop cannot open: " + answer.status() + " " + answer.text());
        }
        return answer;
    }

    Client admin() {
        return gateway.login(Shop.ADMIN, shop.adminPassword());
    }

    Client.Answer place(int quantity) {
        Map<String, Object> order = Map.of(
                "items",
                List.of(Map.of("productId", product, "quantity", quantity)),
                "shippingAddress",
                Map.of("line1", "12 Harbour Street", "city", "Porto", "postalCode", "4000", "country", "PT"));
        return gateway.login(email, password).post("/orders", order, "order-" + UUID.randomUUID());
    }
}

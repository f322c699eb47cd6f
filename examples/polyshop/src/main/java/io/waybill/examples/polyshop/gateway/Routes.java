package io.waybill.examples.polyshop.gateway;

import io.waybill.examples.polyshop.service.Access;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Maps requests to the services that answer them, and to the users who may send them. The services check the token again. */
final class Routes {
    /** @param service the name of the service; the variable {@code <SERVICE>_URL} contains its address */
    record Target(String service, Access access) {}

    private record Rule(Pattern request, Target target) {}

    private static final String ID = "/[^/]+";

    private static final List<Rule> RULES = List.of(
            rule(
                    "POST /auth/(register|login|refresh|request-password-reset|confirm-password-reset|verify-email)",
                    "AUTH",
                    Access.PUBLIC),
            rule("GET /\\.well-known/jwks\\.json", "AUTH", Access.PUBLIC),
            rule("POST /auth/(logout|change-password|resend-verification)", "AUTH", Access.USER),
            rule("GET /auth/(me|sessions)", "AUTH", Access.USER),
            rule("DELETE /auth/sessions" + ID, "AUTH", Access.USER),
            rule("GET /users(" + ID + ")?", "AUTH", Access.ADMIN),
            rule("PUT /users" + ID + "/roles", "AUTH", Access.ADMIN),
            rule("GET /products(" + ID + ")?", "PRODUCT", Access.PUBLIC),
            rule("POST /products(" + ID + "/variants)?", "PRODUCT", Access.ADMIN),
            rule("(PATCH|DELETE) /products" + ID + "(/variants" + ID + ")?", "PRODUCT", Access.ADMIN),
            rule("GET /stock", "INVENTORY", Access.USER),
            rule("POST /stock/movements", "INVENTORY", Access.ADMIN),
            rule("POST /reservations(" + ID + "/(confirm|release))?", "INVENTORY", Access.ADMIN),
            rule("(GET|POST) /orders", "ORDER", Access.USER),
            rule("GET /orders" + ID, "ORDER", Access.USER),
            rule("POST /orders" + ID + "/cancel", "ORDER", Access.USER),
            rule("POST /orders" + ID + "/fulfil", "ORDER", Access.ADMIN),
            rule("POST /payments", "PAYMENT", Access.USER),
            rule("GET /payments" + ID, "PAYMENT", Access.USER),
            rule("POST /payments" + ID + "/refunds", "PAYMENT", Access.ADMIN),
            rule("POST /webhooks/stripe", "PAYMENT", Access.PUBLIC),
            rule("POST /checkout" + ID + "/(pay|fail)", "PAYMENT", Access.PUBLIC),
            rule("(GET|POST) /templates", "NOTIFICATION", Access.ADMIN),
            rule("POST /templates" + ID + "/preview", "NOTIFICATION", Access.ADMIN),
            rule("POST /notifications/(email|sms)", "NOTIFICATION", Access.ADMIN),
            rule("GET /search/products", "SEARCH", Access.PUBLIC),
            rule("GET /analytics/(summary|sales-by-day)", "ANALYTICS", Access.ADMIN));

    private Routes() {}

    private static Rule rule(String request, String service, Access access) {
        return new Rule(Pattern.compile(request), new Target(service, access));
    }

    static Optional<Target> find(String method, String path) {
        String request = method + " " + path;
        return RULES.stream()
                .filter(rule -> rule.request().matcher(request).matches())
                .map(Rule::target)
                .findFirst();
    }
}

package io.waybill.examples.quality.security;

import static io.waybill.examples.quality.security.Role.ADMIN;
import static io.waybill.examples.quality.security.Role.AUDITOR;
import static io.waybill.examples.quality.security.Role.PROCUREMENT;
import static io.waybill.examples.quality.security.Role.QUALITY;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.PATCH;
import static org.springframework.http.HttpMethod.POST;

import java.util.List;
import java.util.Set;
import org.springframework.http.HttpMethod;

/**
 * The roles that may call each route. A route that is not listed here is refused.
 *
 * @param roles empty for everybody, with or without a token
 */
record Access(HttpMethod method, String path, Set<Role> roles) {
    static final List<Access> RULES = List.of(
            everybody(POST, "/auth/login"),
            everybody(GET, "/health"),
            everybody(GET, "/healthz"),
            everybody(GET, "/readyz"),
            everybody(GET, "/metrics"),
            only(POST, "/suppliers", PROCUREMENT, ADMIN),
            only(GET, "/suppliers", AUDITOR, QUALITY, PROCUREMENT, ADMIN),
            only(GET, "/suppliers/{id}", AUDITOR, QUALITY, PROCUREMENT, ADMIN),
            only(PATCH, "/suppliers/{id}/certification", PROCUREMENT, ADMIN),
            only(POST, "/ncs", QUALITY, ADMIN),
            only(PATCH, "/ncs/{id}/close", QUALITY, ADMIN),
            only(GET, "/ncs", AUDITOR, PROCUREMENT, QUALITY, ADMIN),
            only(GET, "/audit-log", AUDITOR, ADMIN),
            only(GET, "/kpi", AUDITOR, QUALITY, ADMIN),
            // The page, the description of the API, and the endpoint for dead letters.
            everybody(GET, "/"),
            everybody(GET, "/{file:[a-z0-9-]+\\.(?:html|js|css|svg|png|ico)}"),
            everybody(GET, "/openapi"),
            everybody(GET, "/openapi/swagger-config"),
            everybody(GET, "/openapi.yaml"),
            everybody(GET, "/swagger-ui"),
            everybody(GET, "/swagger-ui/**"),
            only(GET, "/actuator/outbox", ADMIN),
            only(GET, "/actuator/outbox/{id}", ADMIN),
            only(POST, "/actuator/outbox/{id}", ADMIN));

    private static Access everybody(HttpMethod method, String path) {
        return new Access(method, path, Set.of());
    }

    private static Access only(HttpMethod method, String path, Role... roles) {
        return new Access(method, path, Set.of(roles));
    }

    /** Returns the names of the roles in Spring Security. */
    String[] authorities() {
        return roles.stream().map(Role::name).toArray(String[]::new);
    }
}

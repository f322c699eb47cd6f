package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Every route that the running application has, with every role and without a token, against this table. */
class AccessTest {
    private static final String EVERYBODY = "everybody";
    private static final String NO_ROLE = "";
    private static final Map<String, String> TABLE = table("""
            POST /auth/login                        everybody
            GET /health                             everybody
            GET /healthz                            everybody
            GET /readyz                             everybody
            GET /metrics                            everybody
            POST /suppliers                         procurement, admin
            GET /suppliers                          auditor, quality, procurement, admin
            GET /suppliers/{id}                     auditor, quality, procurement, admin
            PATCH /suppliers/{id}/certification     procurement, admin
            POST /ncs                               quality, admin
            PATCH /ncs/{id}/close                   quality, admin
            GET /ncs                                auditor, procurement, quality, admin
            GET /audit-log                          auditor, admin
            GET /kpi                                auditor, quality, admin
            GET /openapi                            everybody
            GET /openapi.yaml                       everybody
            GET /openapi/swagger-config             everybody
            GET /swagger-ui                         everybody
            GET /actuator/outbox                    admin
            GET /actuator/outbox/{what}             admin
            POST /actuator/outbox/{id}              admin
            GET /error
            POST /error
            """);
    private static final List<String> ROLES = List.of("quality", "procurement", "auditor", "admin");

    private final Service service = Service.shared();

    @Test
    void theTableContainsExactlyTheExistingRoutes() {
        assertThat(routes()).isEqualTo(TABLE.keySet());
    }

    @TestFactory
    Stream<DynamicTest> everyRouteForEverybody() {
        return routes().stream()
                .flatMap(route -> Stream.concat(
                        Stream.of(test(route, null)), ROLES.stream().map(role -> test(route, role))));
    }

    private DynamicTest test(String route, @Nullable String role) {
        String allowed = TABLE.getOrDefault(route, NO_ROLE);
        boolean open = allowed.equals(EVERYBODY)
                || (role != null && List.of(allowed.split(", ", -1)).contains(role));
        return DynamicTest.dynamicTest(route + " as " + role, () -> {
            int status = call(route, role);
            if (open) {
                assertThat(status).isNotIn(401, 403);
            } else {
                assertThat(status).isEqualTo(role == null ? 401 : 403);
            }
        });
    }

    /** With nothing that could be done: an empty body, the number of nothing. */
    private int call(String route, @Nullable String role) {
        String[] parts = route.split(" ", 2);
        String path = parts[1].replaceAll("\\{\\w+}", "0");
        Api api = service.api();
        return api.send(api.request(
                        parts[0], path, role == null ? null : api.token(role), parts[0].equals("GET") ? null : "{}"))
                .status();
    }

    private Set<String> routes() {
        return service.context().getBeansOfType(RequestMappingInfoHandlerMapping.class).values().stream()
                .flatMap(mapping -> mapping.getHandlerMethods().keySet().stream())
                .flatMap(AccessTest::routes)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> routes(RequestMappingInfo mapping) {
        Set<RequestMethod> methods = mapping.getMethodsCondition().getMethods();
        return mapping.getPatternValues().stream()
                .flatMap(path -> methods.isEmpty()
                        ? Stream.of("GET " + path, "POST " + path)
                        : methods.stream().map(method -> method + " " + path));
    }

    private static Map<String, String> table(String text) {
        Map<String, String> table = new TreeMap<>();
        Arrays.stream(text.split("\n")).forEach(line -> {
            String[] parts = (line + " ").split(" +", 3);
            table.put(parts[0] + " " + parts[1], parts.length < 3 ? NO_ROLE : parts[2].strip());
        });
        return table;
    }
}

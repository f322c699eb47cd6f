package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.http.ConsoleServer.Reply;
import io.waybill.server.http.OpenApiFile.Operation;
import io.waybill.server.http.request.Role;
import io.waybill.server.http.request.Routes.Route;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Every route with every role. The table comes from the running server, and equals the description of the API. */
class RolesTest {
    private static final List<String> ORDER = List.of("anyone", "viewer", "operator", "admin");
    private static final Set<String> ENDLESS = Set.of("/api/v1/outboxes/{o}/stream");

    @TempDir
    private static Path folder;

    private static ConsoleServer console;
    private static ConsoleServer readOnly;
    private static final Map<String, String> COOKIES = new LinkedHashMap<>();

    @BeforeAll
    static void start() {
        console = ConsoleServer.withUsers(folder, Map.of("console.edit", "true"), InstantSource.system());
        readOnly = ConsoleServer.start(folder, Map.of("console.read-only", "true", "console.edit", "true"));
        for (Role role : Role.values()) {
            COOKIES.put(role.label(), console.session(role.label()));
        }
    }

    @AfterAll
    static void stop() {
        console.close();
        readOnly.close();
    }

    @Test
    void theRunningRoutesAreThoseOfTheDescription() {
        Set<String> running = new TreeSet<>();
        Map<String, String> roles = new LinkedHashMap<>();
        for (Route route : console.server.routes()) {
            if (route.path().startsWith("/api/v1/")) {
                running.add(route.method() + " " + route.path());
                roles.put(route.method() + " " + route.path(), route.access().role());
            }
        }
        assertThat(running).isEqualTo(OpenApiFile.titles());
        for (Operation operation : OpenApiFile.operations()) {
            assertThat(roles.get(operation.title())).as(operation.title()).isEqualTo(operation.role());
        }
    }

    @Test
    void everyRouteAdmitsItsRoleAndTheLargerOnes() {
        int checked = 0;
        for (Route route : console.server.routes()) {
            for (String role : ORDER) {
                if (ENDLESS.contains(route.path()) && ORDER.indexOf(role) >= 1) {
                    continue; // a stream does not end; ApiTest reads it
                }
                Reply reply = call(console, route, cookie(role));
                boolean admitted =
                        ORDER.indexOf(role) >= ORDER.indexOf(route.access().role());
                String what = role + ": " + route.method() + " " + route.path() + " " + reply.status();
                if (route.path().equals("/api/v1/session")) {
                    continue; // PasswordAccessTest
                }
                if (admitted) {
                    assertThat(reply.status()).as(what + reply.body()).isNotIn(401, 403, 405, 500);
                } else if (role.equals("anyone")) {
                    assertThat(reply.status()).as(what).isEqualTo(401);
                } else {
                    assertThat(reply.status()).as(what).isEqualTo(403);
                    assertThat(reply.body())
                            .contains("This needs the role " + route.access().role());
                }
                checked++;
            }
        }
        assertThat(checked).isGreaterThan(150);
    }

    @Test
    void aReadOnlyInstanceRefusesEveryChangeOfEverybody() {
        for (Route route : readOnly.server.routes()) {
            boolean change = route.method().equals("POST") && !route.path().equals("/api/v1/session");
            if (change) {
                Reply reply = call(readOnly, route, "none=1");
                assertThat(reply.status()).as(route.path()).isEqualTo(403);
                assertThat(reply.body()).contains("read-only");
            }
        }
        assertThat(readOnly.read("/api/v1/session").get("permissions").toString())
                .isEqualTo("[\"view\",\"payload\"]");
    }

    private static Reply call(ConsoleServer server, Route route, String cookie) {
        String path = route.path()
                .replace("{o}", "main")
                .replace("{id}", UUID.randomUUID().toString())
                .replace("{key}", "no-such-key")
                .replace("{group}", "no-such-group");
        String body = route.method().equals("POST") ? ConsoleServer.action(UUID.randomUUID(), "") : "";
        return route.path().equals("/api/v1/session") && !route.method().equals("GET")
                ? new Reply(0, Map.of(), "")
                : server.send(route.method(), path, body, "Cookie", cookie);
    }

    private static String cookie(String role) {
        return COOKIES.getOrDefault(role, "none=1");
    }

    @Test
    void thePermissionsPageShowsTheSameTable() {
        JsonNode table = console.read("/api/v1/permissions", "Cookie", cookie("viewer"));
        assertThat(table.get("routes").size()).isEqualTo(console.server.routes().size());
        assertThat(table.get("roles").toString()).contains("{\"role\":\"viewer\",\"permissions\":[\"view\"]}");
    }

    @Test
    void aRefusedAttemptIsInTheAudit() throws Exception {
        UUID id = console.deadLetter("refused", "no");
        Reply reply = console.act(ConsoleServer.MAIN + "/events/" + id + "/discard", "Cookie", cookie("viewer"));
        assertThat(reply.status()).isEqualTo(403);
        JsonNode audit = console.read(
                ConsoleServer.MAIN + "/audit?refused=true&actor=viewer&action=discard", "Cookie", cookie("viewer"));
        assertThat(audit.get("items").toString()).contains("events/" + id, "This needs the role operator");
        assertThat(console.query("SELECT state FROM outbox_events WHERE id = '" + id + "'"))
                .isEqualTo("DEAD_LETTER");
    }
}

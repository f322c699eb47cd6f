package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.http.ConsoleServer.Reply;
import io.waybill.server.http.access.UsersFile;
import io.waybill.server.http.request.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sign-in with a password, and the sessions that it starts. */
class SignInTest {
    private static final String OVERVIEW = ConsoleServer.MAIN + "/events";
    private static final AtomicReference<Instant> NOW = new AtomicReference<>(Instant.parse("2027-01-01T00:00:00Z"));

    @TempDir
    private static Path folder;

    private static ConsoleServer console;

    @BeforeAll
    static void start() {
        console = ConsoleServer.withUsers(folder, Map.of(), NOW::get);
    }

    @AfterAll
    static void stop() {
        console.close();
    }

    /** Failed sign-ins of one test must not slow down the next one. */
    @BeforeEach
    void later() {
        pass(Duration.ofHours(1));
    }

    private static void pass(Duration time) {
        NOW.updateAndGet(now -> now.plus(time));
    }

    private static int status(String cookie) {
        return console.get(OVERVIEW, "Cookie", cookie).status();
    }

    @Test
    void aSignInStartsASessionAndASignOutEndsIt() {
        assertThat(console.read("/api/v1/session").get("user").isNull()).isTrue();
        Reply reply = console.signIn("operator", ConsoleServer.PASSWORD);
        assertThat(reply.header("set-cookie"))
                .contains("waybill-session=", "HttpOnly", "SameSite=Strict", "Path=/")
                .doesNotContain("Secure", "Domain", "Max-Age");
        assertThat(reply.json().get("permissions").toString()).isEqualTo("[\"view\",\"payload\",\"act\"]");
        String cookie = reply.cookie();
        assertThat(console.read("/api/v1/session", "Cookie", cookie).get("user").asString())
                .isEqualTo("operator");
        Reply out = console.send("DELETE", "/api/v1/session", "", "Cookie", cookie);
        assertThat(out.status()).isEqualTo(204);
        assertThat(out.header("set-cookie")).contains("waybill-session=;", "Expires=Thu, 01 Jan 1970");
        assertThat(status(cookie)).isEqualTo(401);
    }

    @Test
    void aChosenSessionIdIsNeverAdopted() {
        String planted = "waybill-session=chosen-by-an-attacker";
        Reply reply = console.signIn("viewer", ConsoleServer.PASSWORD, "Cookie", planted);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.cookie()).isNotEqualTo(planted);
        assertThat(status(planted)).isEqualTo(401);
        String own = reply.cookie();
        String renewed = console.signIn("operator", ConsoleServer.PASSWORD, "Cookie", own)
                .cookie();
        assertThat(renewed).isNotEqualTo(own);
        assertThat(status(own)).as("the session before the sign-in").isEqualTo(401);
        assertThat(status(renewed)).isEqualTo(200);
    }

    @Test
    void anUnusedSessionEndsAndAnUsedOneEndsAtItsLimit() {
        String unused = console.session("viewer");
        pass(Duration.ofMinutes(31));
        assertThat(status(unused)).isEqualTo(401);
        String used = console.session("viewer");
        for (int i = 0; i < 35; i++) {
            pass(Duration.ofMinutes(20));
            assertThat(status(used)).as("after " + i).isEqualTo(200);
        }
        pass(Duration.ofMinutes(25));
        assertThat(status(used)).as("after more than twelve hours").isEqualTo(401);
    }

    @Test
    void aRemovedUserAndAChangedPasswordEndTheSessions() {
        UsersFile users = new UsersFile(folder.resolve("waybill-users"));
        users.add("leaver", Role.ADMIN, ConsoleServer.PASSWORD);
        String first = console.session("leaver");
        assertThat(status(first)).isEqualTo(200);
        users.password("leaver", "another long password");
        assertThat(status(first)).isEqualTo(401);
        assertThat(console.signIn("leaver", ConsoleServer.PASSWORD).status()).isEqualTo(401);
        String second = console.signIn("leaver", "another long password").cookie();
        assertThat(status(second)).isEqualTo(200);
        users.remove("leaver");
        assertThat(status(second)).isEqualTo(401);
    }

    @Test
    void guessingIsSlowedDownForTheNameAndARightGuessIsNoException() {
        for (int i = 0; i < 5; i++) {
            assertThat(console.signIn("admin", "wrong " + i).status()).isEqualTo(401);
        }
        Reply sixth = console.signIn("admin", ConsoleServer.PASSWORD);
        assertThat(sixth.status()).isEqualTo(429);
        assertThat(sixth.header("retry-after")).isEqualTo("1");
        assertThat(console.signIn("viewer", ConsoleServer.PASSWORD).status())
                .as("another user")
                .isEqualTo(200);
        pass(Duration.ofSeconds(2));
        assertThat(console.signIn("admin", "wrong again").status()).isEqualTo(401);
        assertThat(console.signIn("admin", ConsoleServer.PASSWORD).header("retry-after"))
                .isEqualTo("2");
        pass(Duration.ofSeconds(3));
        assertThat(console.signIn("admin", ConsoleServer.PASSWORD).status()).isEqualTo(200);
    }

    @Test
    void guessingManyNamesIsSlowedDownForTheAddress() {
        int refused = 0;
        for (int i = 0; i < 22; i++) {
            refused += console.signIn("nobody-" + i, "wrong").status() == 429 ? 1 : 0;
        }
        assertThat(refused).isPositive();
        assertThat(console.signIn("viewer", ConsoleServer.PASSWORD).status()).isEqualTo(429);
    }

    @Test
    void anUnknownNameIsAnsweredLikeAWrongPassword() {
        Reply unknown = console.signIn("nobody", ConsoleServer.PASSWORD);
        Reply wrong = console.signIn("viewer", "wrong");
        assertThat(unknown.status()).isEqualTo(wrong.status()).isEqualTo(401);
        assertThat(unknown.body()).isEqualTo(wrong.body());
    }

    @Test
    void theUsersFileBelongsToItsOwnerAndHasNoPasswords() throws IOException {
        Path file = folder.resolve("waybill-users");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file)).contains("admin:admin:$2").doesNotContain(ConsoleServer.PASSWORD);
    }

    @Test
    void theFirstStartCreatesAnAdminOnce() {
        HttpOptions options = HttpServerTest.options(Map.of(
                "http.sign-in",
                "password",
                "http.users",
                folder.resolve("first").toString()));
        String notice = options.createUsers().orElseThrow();
        String password = notice.replaceAll("(?s).*password (\\S+) and change.*", "$1");
        assertThat(new UsersFile(folder.resolve("first")).all().toString()).isEqualTo("[admin (admin)]");
        assertThat(options.createUsers()).isEmpty();
        try (ConsoleServer first = ConsoleServer.start(
                folder,
                Map.of(
                        "http.sign-in",
                        "password",
                        "http.users",
                        folder.resolve("first").toString()))) {
            assertThat(first.signIn("admin", password).status()).isEqualTo(200);
        }
    }
}

package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.quality.Api.Answer;
import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Failed logins are limited. All requests of a test come from one address. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LoginLimitTest {
    private static Service service;

    @BeforeAll
    static void start() {
        service = Service.start(
                SharedServers.freshDatabase(),
                "--quality.worker=off",
                "--quality.login.window=1h",
                "--quality.login.failures-per-user=3",
                "--quality.login.failures-per-address=20");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    @Order(1)
    void afterAFewWrongPasswordsAUserIsRefusedEvenWithTheRightOne() {
        for (int i = 0; i < 3; i++) {
            assertThat(login("admin", "guess " + i).status()).isEqualTo(401);
        }
        Answer refused = login("admin", "admin");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(Long.parseLong(refused.header("Retry-After"))).isBetween(1L, 3_600L);
        assertThat(refused.body().path("detail").asString()).contains("Too many");
        assertThat(login("auditor", "auditor").status()).as("other users").isEqualTo(200);
    }

    @Test
    @Order(2)
    void attemptsAtTheSameTimeAreCountedBeforeTheirPasswordsAreCompared() {
        List<CompletableFuture<Integer>> attempts = IntStream.range(0, 12)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> login("procurement", "guess " + i).status()))
                .toList();
        assertThat(attempts.stream().map(CompletableFuture::join))
                .filteredOn(status -> status == 401)
                .hasSize(3);
    }

    @Test
    @Order(3)
    void rightPasswordsAreNotCounted() {
        for (int i = 0; i < 30; i++) {
            assertThat(login("quality", "quality").status()).isEqualTo(200);
        }
    }

    @Test
    @Order(4)
    void anAddressThatTriesManyNamesIsRefused() {
        assertThat(IntStream.range(0, 20).map(i -> login("name " + i, "x").status()))
                .contains(429);
        assertThat(login("auditor", "auditor").status()).isEqualTo(429);
    }

    private static Answer login(String user, String password) {
        return service.api()
                .post("/auth/login", null, "{\"username\":\"" + user + "\",\"password\":\"" + password + "\"}");
    }
}

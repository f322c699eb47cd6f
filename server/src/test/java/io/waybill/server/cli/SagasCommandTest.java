package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.RefusedException;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.store.SagaRecord;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.server.problem.Exit;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import tools.jackson.databind.JsonNode;

/** The saga commands, on sagas of a real engine. */
class SagasCommandTest {
    private static final RetryPolicy ONCE = new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1));

    record Order(String id, boolean paid) {}

    @TempDir
    private Path folder;

    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final List<Sagas<Connection>> engines = new ArrayList<>();
    private Waybill waybill;
    private volatile boolean broken = true;

    /** While {@link #broken}, "reserve" cannot be undone and "ship" does not succeed. */
    private final Saga<Order> placeOrder = Saga.named("place-order", Order.class)
            .step("reserve")
            .local(order -> order)
            .localCompensation(this::work)
            .compensationRetry(ONCE)
            .then("pay")
            .local(order -> {
                if (!order.paid()) {
                    throw new RefusedException("card expired");
                }
                return order;
            })
            .pivot()
            .then("ship")
            .local(this::work)
            .retry(ONCE)
            .retriable()
            .build();

    private final Saga<Order> slow = Saga.named("slow-order", Order.class)
            .step("hold")
            .local(order -> order)
            .localCompensation(order -> order)
            .then("pause")
            .delay(Duration.ofHours(1))
            .then("pay")
            .local(order -> order)
            .pivot()
            .build();

    private Order work(Order order) {
        if (broken) {
            throw new IllegalStateException("the stock service\u001b[2J is down");
        }
        return order;
    }

    @BeforeEach
    void aDatabaseIsThere() {
        String database = SharedServers.freshDatabase();
        source.setUrl(database);
        waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", database);
    }

    @AfterEach
    void stop() {
        engines.forEach(Sagas::close);
    }

    private Sagas<Connection> engine() {
        SagaSchema.apply(source);
        Sagas<Connection> engine = Sagas.builder(JdbcSagaStore.on(source), JdbcOutbox.create())
                .add(placeOrder)
                .add(slow)
                .longestPause(Duration.ofMillis(20))
                .build();
        engines.add(engine);
        engine.start();
        return engine;
    }

    private static SagaRecord await(Sagas<Connection> engine, UUID id, SagaStatus expected) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> engine.find(id).orElseThrow(), saga -> saga.status() == expected);
    }

    /** A saga whose first step could not be undone. */
    private UUID stuck(Sagas<Connection> engine, String key) {
        UUID id = engine.start(placeOrder, key, new Order(key, false));
        await(engine, id, SagaStatus.FAILED);
        return id;
    }

    private List<String> audit() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT concat_ws(' ', actor, action, saga_name, business_key,"
                        + " step, reason) FROM saga_audit ORDER BY id")) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }

    @Test
    void theSchemaIsPrintedAppliedAndChecked() {
        assertThat(waybill.run("sagas", "schema", "print").out()).contains("CREATE TABLE sagas");
        assertThat(waybill.run("sagas", "schema", "print", "--grants").out())
                .contains("TO shop_service;", "TO shop_participant;", "TO shop_operator;");
        Result before = waybill.run("sagas", "list");
        assertThat(before.exit()).isEqualTo(Exit.DATABASE.code());
        assertThat(before.err()).contains("waybill sagas schema apply");
        assertThat(waybill.run("sagas", "schema", "check").exit()).isEqualTo(Exit.DATABASE.code());
        assertThat(waybill.run("sagas", "schema", "apply").exit()).isZero();
        assertThat(waybill.run("sagas", "schema", "apply").exit()).isZero();
        assertThat(waybill.run("sagas", "schema", "check").exit()).isZero();
        assertThat(waybill.run("sagas", "list").err()).contains("No sagas match");
        assertThat(waybill.run("sagas", "stats").err()).contains("no sagas");
    }

    @Test
    void sagasAreListedInPages() {
        Sagas<Connection> engine = engine();
        UUID stuck = stuck(engine, "order-1");
        List<String> ids = new ArrayList<>(List.of(stuck.toString()));
        for (int i = 2; i <= 5; i++) {
            ids.add(0, engine.start(slow, "slow-" + i, new Order("" + i, true)).toString());
        }
        Result first = waybill.run("sagas", "list", "--limit", "3", "--json");
        Result second = waybill.run("sagas", "list", "--limit", "3", "--json", "--after", ids.get(2));
        assertThat(ids(first)).isEqualTo(ids.subList(0, 3));
        assertThat(ids(second)).isEqualTo(ids.subList(3, 5));
        assertThat(waybill.run("sagas", "list", "--limit", "3").err()).contains("--after " + ids.get(2));
        Result found = waybill.run("sagas", "list", "--stuck");
        assertThat(found.out())
                .contains(stuck.toString(), "order-1", "FAILED, not ended", "reserve", "is down")
                .doesNotContain("\u001b", "slow");
        assertThat(ids(waybill.run("sagas", "list", "--json", "--saga", "slow-order", "--key", "slow-3")))
                .hasSize(1);
        assertThat(ids(waybill.run("sagas", "list", "--json", "--state", "failed,completed", "--step", "reserve")))
                .containsExactly(stuck.toString());
        assertThat(ids(waybill.run("sagas", "list", "--json", "--older-than", "1h")))
                .isEmpty();
        Result typo = waybill.run("sagas", "list", "--state", "faild");
        assertThat(typo.exit()).isEqualTo(Exit.USAGE.code());
        assertThat(typo.err()).contains("Did you mean 'failed'?");
    }

    private static List<String> ids(Result result) {
        assertThat(result.exit()).as(result.err()).isZero();
        return result.out()
                .lines()
                .map(line -> Json.MAPPER.readTree(line).get("id").asString())
                .toList();
    }

    @Test
    void aSagaIsShownWithItsStepsAndHistory() {
        Sagas<Connection> engine = engine();
        UUID id = stuck(engine, "order-1");
        Result shown = waybill.run("sagas", "show", "place-order/order-1");
        assertThat(shown.exit()).as(shown.err()).isZero();
        assertThat(shown.out())
                .contains(id.toString(), "a person: reserve", "\"paid\":false", "COMPENSATING, waits for a person")
                .contains("step failed", "card expired", "compensating", "stuck", "+0ms")
                .doesNotContain("\u001b");
        JsonNode json = Json.MAPPER.readTree(
                waybill.run("sagas", "show", id.toString(), "--json").out());
        assertThat(json.get("stuck").get(0).asString()).isEqualTo("reserve");
        assertThat(json.get("data").get("id").asString()).isEqualTo("order-1");
        assertThat(json.get("steps").get(1).get("status").asString()).isEqualTo("FAILED");
        assertThat(json.get("history").get(0).get("kind").asString()).isEqualTo("STARTED");
        assertThat(waybill.run("sagas", "show", id.toString(), "--picture").out())
                .startsWith("flowchart TD")
                .contains(":::stuck");
        String start = engine.find(id).orElseThrow().createdAt().toString();
        assertThat(waybill.run("sagas", "show", id.toString(), "--at", start).out())
                .contains("EXECUTING")
                .doesNotContain("waits for a person");
        Result early = waybill.run("sagas", "show", id.toString(), "--at", "2020-01-01T00:00:00Z");
        assertThat(early.exit()).isEqualTo(Exit.FAILED.code());
        assertThat(early.err()).contains("did not exist");
        assertThat(waybill.run("sagas", "show", id.toString(), "--at", "yesterday")
                        .exit())
                .isEqualTo(Exit.USAGE.code());
    }

    @Test
    void whatDoesNotExistIsReportedWithASuggestion() {
        Sagas<Connection> engine = engine();
        UUID id = stuck(engine, "order-1");
        Result saga = waybill.run("sagas", "show", "place-order/order-2");
        assertThat(saga.exit()).isEqualTo(Exit.NOT_FOUND.code());
        assertThat(saga.err()).contains("Did you mean 'order-1'?");
        Result step = waybill.run("sagas", "retry", id.toString(), "--step", "reserv", "--reason", "r");
        assertThat(step.exit()).isEqualTo(Exit.NOT_FOUND.code());
        assertThat(step.err()).contains("Did you mean 'reserve'?");
        Result plan = waybill.run("sagas", "plan", "place-ordr");
        assertThat(plan.exit()).isEqualTo(Exit.NOT_FOUND.code());
        assertThat(plan.err()).contains("Did you mean 'place-order'?");
        assertThat(waybill.run("sagas", "plan", "place-order@7").err()).contains("Stored versions: 1.");
        assertThat(waybill.run("sagas", "retry", id.toString()).err()).contains("--reason is missing");
        assertThat(waybill.run("sagas", "retry", id.toString(), "--all", "--reason", "r")
                        .exit())
                .isEqualTo(Exit.USAGE.code());
    }

    @Test
    void aRequestWaitsForAnEngine() throws SQLException {
        Sagas<Connection> first = engine();
        UUID id = stuck(first, "order-1");
        first.close();
        Result stored = waybill.run(
                "sagas", "retry", "place-order/order-1", "--reason", "stock is up", "--actor", "ada", "--no-wait");
        assertThat(stored.exit()).as(stored.err()).isZero();
        assertThat(stored.out()).contains("no engine has applied it yet", "waybill sagas show " + id);
        assertThat(waybill.run("sagas", "show", id.toString()).out())
                .contains("Pending: RETRY of step reserve, requested by ada: stock is up");
        assertThat(audit()).containsExactly("ada RETRY place-order order-1 reserve stock is up");
        broken = false;
        await(engine(), id, SagaStatus.ROLLED_BACK);
        Result ended = waybill.run("sagas", "cancel", id.toString(), "--reason", "too late");
        assertThat(ended.exit()).isEqualTo(Exit.FAILED.code());
        assertThat(ended.err()).contains("has ended as ROLLED_BACK");
        assertThat(audit()).hasSize(1);
    }

    @Test
    void everyActionIsAppliedByAnEngineAndAudited() throws Exception {
        Sagas<Connection> engine = engine();
        stuck(engine, "skipped");
        stuck(engine, "resolved");
        UUID shipped = engine.start(placeOrder, "shipped", new Order("shipped", true));
        await(engine, shipped, SagaStatus.FORWARD_RECOVERY);
        engine.start(slow, "cancelled", new Order("c", true));
        engine.start(slow, "compensated", new Order("c", true));

        assertDone("FAILED", "skip", "place-order/skipped");
        Path data = Files.writeString(folder.resolve("data.json"), "{\"id\":\"new\",\"paid\":false}");
        assertDone("ROLLED_BACK", "resolve", "place-order/resolved", "--data", data.toString());
        assertThat(engine.view().find("place-order", "resolved").orElseThrow().data())
                .contains("new");
        assertDone("PARTIALLY_COMMITTED", "skip", "place-order/shipped");
        assertDone("ROLLED_BACK", "cancel", "slow-order/cancelled");
        assertDone("ROLLED_BACK", "compensate", "slow-order/compensated");
        assertThat(audit())
                .containsExactly(
                        "ada SKIP place-order skipped reserve agreed",
                        "ada RESOLVE place-order resolved reserve agreed",
                        "ada SKIP place-order shipped ship agreed",
                        "ada CANCEL slow-order cancelled agreed",
                        "ada CANCEL slow-order compensated agreed");
    }

    private void assertDone(String state, String... action) {
        List<String> command = new ArrayList<>(List.of("sagas"));
        command.addAll(List.of(action));
        command.addAll(List.of("--reason", "agreed", "--actor", "ada"));
        Result done = waybill.run(command.toArray(String[]::new));
        assertThat(done.exit()).as(done.out() + done.err()).isZero();
        assertThat(done.out()).startsWith("Done: ");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> waybill.run("sagas", "show", action[1]).out().contains("state         " + state));
    }

    @Test
    void anEngineCanRefuseARequest() {
        Sagas<Connection> engine = engine();
        UUID shipped = engine.start(placeOrder, "shipped", new Order("shipped", true));
        await(engine, shipped, SagaStatus.FORWARD_RECOVERY);
        Result cancelled = waybill.run("sagas", "cancel", shipped.toString(), "--reason", "no");
        assertThat(cancelled.exit()).isEqualTo(Exit.FAILED.code());
        assertThat(cancelled.out()).contains("refused", "has reached its pivot pay");
        Result refused = waybill.run("sagas", "refuse", shipped.toString(), "--reason", "no", "--json");
        assertThat(refused.exit()).isEqualTo(Exit.FAILED.code());
        assertThat(Json.MAPPER.readTree(refused.out()).get("outcome").asString())
                .isEqualTo("refused");
    }

    @Test
    void allStuckSagasOfADefinitionAreRetriedAtOnce() throws SQLException {
        Sagas<Connection> engine = engine();
        List<UUID> stuck = List.of(stuck(engine, "a-1"), stuck(engine, "a-2"), stuck(engine, "b-1"));
        String[] dryRun = {"sagas", "retry", "--all", "--saga", "place-order", "--key", "a-", "--dry-run"};
        assertThat(waybill.run(dryRun).out())
                .contains(stuck.get(0).toString(), stuck.get(1).toString(), "2 steps would be retried.")
                .doesNotContain(stuck.get(2).toString());
        assertThat(audit()).isEmpty();
        broken = false;
        Result retried = waybill.run(
                "sagas",
                "retry",
                "--all",
                "--step",
                "reserve",
                "--key",
                "a-",
                "--reason",
                "up again",
                "--actor",
                "ada");
        assertThat(retried.exit()).as(retried.err()).isZero();
        assertThat(retried.out()).contains("Requested a retry of 2 steps.", "2 requests applied.");
        assertThat(audit())
                .containsExactlyInAnyOrder(
                        "ada RETRY place-order a-1 reserve up again", "ada RETRY place-order a-2 reserve up again");
        await(engine, stuck.get(0), SagaStatus.ROLLED_BACK);
        await(engine, stuck.get(1), SagaStatus.ROLLED_BACK);
        assertThat(engine.find(stuck.get(2)).orElseThrow().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(waybill.run("sagas", "retry", "--all", "--key", "a-", "--reason", "r")
                        .err())
                .contains("No step waits for a person");
    }

    @Test
    void aDefinitionIsPlannedAndDrawn() {
        engine();
        Result plan = waybill.run("sagas", "plan", "place-order");
        assertThat(plan.exit()).as(plan.err()).isZero();
        assertThat(plan.out())
                .contains("layer 1", "critical path", "reserve → pay → ship")
                .contains("When pay fails: undone are reserve.")
                .contains("When ship fails: the pivot has succeeded");
        assertThat(waybill.run("sagas", "plan", "place-order@1", "--picture").out())
                .startsWith("flowchart TD")
                .contains("undo reserve");
        JsonNode json = Json.MAPPER.readTree(
                waybill.run("sagas", "plan", "place-order", "--json").out());
        assertThat(json.get("pivot").asString()).isEqualTo("pay");
        assertThat(json.get("failures").get(1).get("undone").get(0).get(0).asString())
                .isEqualTo("reserve");
    }

    @Test
    void endedSagasAreCountedAndRemoved() {
        Sagas<Connection> engine = engine();
        broken = false;
        UUID id = engine.start(placeOrder, "order-1", new Order("order-1", true));
        await(engine, id, SagaStatus.COMPLETED);
        engine.start(slow, "slow", new Order("slow", true));
        assertThat(waybill.run("sagas", "stats").out()).containsPattern("place-order +COMPLETED +1 +0 +-");
        assertThat(waybill.run("sagas", "stats", "--json").out()).contains("\"status\":\"COMPLETED\",\"count\":1");
        assertThat(waybill.run("sagas", "prune").exit()).isEqualTo(Exit.USAGE.code());
        assertThat(waybill.run("sagas", "prune", "--older-than", "1h").out()).contains("Removed 0 sagas.");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> waybill.run("sagas", "prune", "--older-than", "0s")
                        .out()
                        .contains("Removed 1 saga."));
        assertThat(waybill.run("sagas", "show", id.toString()).exit()).isEqualTo(Exit.NOT_FOUND.code());
        assertThat(waybill.run("sagas", "list").out()).contains("slow-order").doesNotContain("place-order");
    }

    @Test
    void statusAndDoctorReportSagas() {
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        assertThat(waybill.run("status").out()).doesNotContain("sagas");
        assertThat(waybill.run("status", "--json").out()).doesNotContain("\"sagas\"");
        assertThat(waybill.run("doctor").out()).doesNotContain("saga");
        Sagas<Connection> engine = engine();
        engine.start(slow, "slow", new Order("slow", true));
        stuck(engine, "order-1");
        assertThat(waybill.run("status").out()).contains("1 running, 1 compensating, 1 stuck");
        JsonNode sagas =
                Json.MAPPER.readTree(waybill.run("status", "--json").out()).get("sagas");
        assertThat(sagas.get("stuck").asInt()).isEqualTo(1);
        assertThat(sagas.get("oldestAgeSeconds").asDouble()).isPositive();
        assertThat(waybill.run("doctor").out())
                .containsPattern("ok    sagas +version 1; running: 1, compensating: 1")
                .containsPattern("warn  stuck sagas +1 saga waits for a person.")
                .doesNotContain("saga operator", "saga engine");
    }

    @Test
    void anOperatorWithTheDocumentedGrantsCanDecideAndARelayCannot() throws SQLException {
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        Sagas<Connection> engine = engine();
        UUID id = stuck(engine, "order-1");
        broken = false;
        String operator = role("shop_operator");
        Result retried = waybill.with("WAYBILL_DATABASE_USER", operator)
                .run("sagas", "retry", id.toString(), "--reason", "up again");
        assertThat(retried.exit()).as(retried.err()).isZero();
        assertThat(retried.out()).contains("Done: retry of step reserve.");
        assertThat(waybill.run("sagas", "prune", "--older-than", "0s").exit()).isEqualTo(Exit.DATABASE.code());
        String participant = role("shop_participant");
        assertThat(waybill.with("WAYBILL_DATABASE_USER", participant)
                        .run("sagas", "list")
                        .exit())
                .isEqualTo(Exit.DATABASE.code());
    }

    private String role(String documented) throws SQLException {
        String role = documented + "_" + System.nanoTime();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + role + " LOGIN");
            for (String line : waybill.run("sagas", "schema", "print", "--grants")
                    .out()
                    .lines()
                    .toList()) {
                if (line.endsWith(" TO " + documented + ";")) {
                    statement.execute(line.replace(documented, role));
                }
            }
        }
        return role;
    }
}

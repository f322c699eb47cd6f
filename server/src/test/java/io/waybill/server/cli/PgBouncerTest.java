package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.config.Configuration;
import io.waybill.server.daemon.Daemon;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.known.Databases;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything goes through PgBouncer in transaction mode, where two statements may run in different sessions. */
class PgBouncerTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void aRelayAndAllCommandsWorkThroughATransactionPooler(Engine engine) throws Exception {
        String direct = SharedServers.freshDatabase();
        int serverPort = SharedServers.postgres().port();
        String user = direct.replaceFirst(".*[?&]user=", "").replaceFirst("&.*", "");
        try (LocalPgBouncer pooler = LocalPgBouncer.before(serverPort, user, folder)) {
            String pooled = direct.replace(":" + serverPort + "/", ":" + pooler.port() + "/");
            String database = pooled + "&prepareThreshold=0";
            Waybill waybill = new Waybill(folder)
                    .with("WAYBILL_DATABASE_URL", database)
                    .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
            Awaitility.await()
                    .atMost(Duration.ofMinutes(4))
                    .conditionEvaluationListener(c -> assertThat(pooler.running())
                            .as(LocalPgBouncer.log(folder))
                            .isTrue())
                    .until(() -> waybill.run("schema", "apply", "--engine", engine.label())
                                    .exit()
                            == 0);
            DatabaseAddress where = Databases.parse(database, null, null);
            Configuration configuration = Configuration.read(
                    Map.of("relay.poll-every", "20ms", "relay.idle-limit", "50ms"), List.of(), null, Map.of(), folder);
            String broker = SharedServers.kafka().bootstrapServers();
            try (Daemon daemon = Daemon.start(
                    configuration,
                    where.access().open(where, configuration).outbox(configuration),
                    BrokerAddress.parse(broker))) {
                for (int round = 1; round <= 20; round++) {
                    Result appended = waybill.input(lines(round)).run("append");
                    assertThat(appended.exit()).as(appended.err()).isZero();
                }
                Awaitility.await()
                        .atMost(Duration.ofMinutes(4))
                        .untilAsserted(
                                () -> assertThat(waybill.run("status", "--json").out())
                                        .contains("\"pending\":0,"));
                assertThat(daemon.ended().toCompletableFuture()).isNotDone();
                assertThat(waybill.run("schema", "lanes", "4", "--fence-relays").exit())
                        .isZero();
            }
            assertThat(waybill.run("events", "--state", "published", "--limit", "1000", "--json")
                            .out()
                            .lines())
                    .hasSize(400);
            assertThat(waybill.run("doctor").out()).containsPattern("ok +pooler ");
            Result warned = waybill.run("doctor", "--database", pooled);
            assertThat(warned.out()).containsPattern("warn +pooler ").contains("prepareThreshold=0");
            String other = engine == Engine.JOURNAL ? "queue" : "journal";
            assertThat(waybill.run("schema", "migrate", "--to", other).exit()).isZero();
        }
    }

    private static String lines(int round) {
        return IntStream.range(0, 20)
                .mapToObj(key -> "{\"type\":\"pgbouncer.test\",\"aggregateType\":\"T\",\"key\":\"k" + key
                        + "\",\"payload\":" + round + "}")
                .collect(Collectors.joining("\n", "", "\n"));
    }
}

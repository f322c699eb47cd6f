package io.waybill.server.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.kafka.KafkaTransport;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.known.Databases;
import io.waybill.server.http.outbox.HealthCheck;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.SharedServers;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HealthTest {
    @Test
    void anOutboxWithoutARelayIsNotReady() {
        OutboxTables tables = tables(SharedServers.freshDatabase());
        tables.create();
        try (KafkaTransport transport = KafkaTransport.to(SharedServers.kafka().bootstrapServers());
                Health health = health(tables, transport)) {
            List<HealthCheck> checks = health.checks();
            assertThat(checks)
                    .contains(new HealthCheck("relay", false, "no relay is running"))
                    .filteredOn(check -> !check.name().equals("relay"))
                    .allMatch(HealthCheck::ok);
            assertThat(health.status().liveRelays()).isZero();
        }
    }

    @Test
    void eachCheckReportsTheProblemOfItsServer() {
        OutboxTables empty = tables(SharedServers.freshDatabase());
        try (KafkaTransport nowhere = KafkaTransport.to("127.0.0.1:1");
                Health health = health(empty, nowhere)) {
            List<HealthCheck> checks = health.checks();
            assertThat(checks).extracting(HealthCheck::name).containsExactly("database", "schema", "relay", "broker");
            assertThat(checks).extracting(HealthCheck::ok).containsExactly(true, false, false, false);
            assertThat(checks.get(1).detail()).contains("waybill schema apply");
        }
    }

    @Test
    void anUnreachableDatabaseIsReportedWithItsAddress() {
        String url = SharedServers.freshDatabase();
        int port = URI.create(url.replace("jdbc:", "")).getPort();
        TcpProxy network = TcpProxy.to(port);
        String proxied = url.replace(":" + port + "/", ":" + network.port() + "/");
        try (KafkaTransport nowhere = KafkaTransport.to("127.0.0.1:1");
                Health health = health(tables(proxied), nowhere)) {
            network.close();
            assertThat(health.checks().get(0).detail())
                    .contains(":" + network.port() + "/")
                    .contains("connection refused");
        }
    }

    private static OutboxTables tables(String url) {
        Configuration configuration = Configuration.read(Map.of(), List.of(), null, Map.of(), Path.of("target"));
        DatabaseAddress address = Databases.parse(url, null, null);
        return address.access().open(address, configuration).outbox(configuration);
    }

    private static Health health(OutboxTables tables, KafkaTransport transport) {
        return new Health(tables, tables.withTimeout(Health.LIMIT), transport);
    }
}

package io.waybill.server.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.http.HealthCheck;
import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {
    @Test
    void anOutboxWithoutARelayIsNotReady() {
        OutboxDatabase database = new OutboxDatabase(DatabaseAddress.parse(SharedServers.freshDatabase(), null, null));
        OutboxSchema.apply(database.direct());
        try (KafkaTransport transport = KafkaTransport.to(SharedServers.kafka().bootstrapServers());
                Health health = new Health(database, Engine.JOURNAL, transport)) {
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
        OutboxDatabase empty = new OutboxDatabase(DatabaseAddress.parse(SharedServers.freshDatabase(), null, null));
        try (KafkaTransport nowhere = KafkaTransport.to("127.0.0.1:1");
                Health health = new Health(empty, Engine.JOURNAL, nowhere)) {
            List<HealthCheck> checks = health.checks();
            assertThat(checks).extracting(HealthCheck::name).containsExactly("database", "schema", "relay", "broker");
            assertThat(checks).extracting(HealthCheck::ok).containsExactly(true, false, false, false);
            assertThat(checks.get(1).detail()).contains("waybill schema apply");
        }
        OutboxDatabase gone = new OutboxDatabase(DatabaseAddress.parse("jdbc:postgresql://127.0.0.1:1/x", null, null));
        try (KafkaTransport nowhere = KafkaTransport.to("127.0.0.1:1");
                Health health = new Health(gone, Engine.QUEUE, nowhere)) {
            assertThat(health.checks().get(0).detail()).contains("127.0.0.1:1/x", "connection refused");
        }
    }
}

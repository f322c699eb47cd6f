package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.handled;

import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.Test;

/** The same service with a broker between the outbox and the handlers. */
class KafkaProfileTest {
    @Test
    void eventsGoThroughKafka() {
        String database = SharedServers.freshDatabase();
        try (Service service = Service.start(
                database,
                "--spring.profiles.active=kafka",
                "--waybill.kafka.bootstrap-servers=" + SharedServers.kafka().bootstrapServers())) {
            long nc = service.api().nonconformity(service.api().supplier("Bolts"), "high");
            service.api().patch("/ncs/" + nc + "/close", "quality", null);
            awaitCount(service.jdbc(), 1, handled("NC_CREATED", "NonConformity", nc));
            awaitCount(service.jdbc(), 1, handled("NC_CLOSED", "NonConformity", nc));
        }
    }
}

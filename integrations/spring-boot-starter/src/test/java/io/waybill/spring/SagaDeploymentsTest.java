package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.saga.Saga;
import io.waybill.saga.SagaResult;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** The same saga with a broker, and over a restart of its application. */
class SagaDeploymentsTest {
    @Test
    void commandsAndRepliesGoThroughKafka() {
        try (ConfigurableApplicationContext application = Apps.run(
                Warehouse.class,
                SharedServers.freshDatabase(),
                Apps.WITHOUT_JPA,
                "spring.application.name=warehouse",
                "spring.kafka.bootstrap-servers=" + SharedServers.kafka().bootstrapServers(),
                "waybill.kafka.consumer.auto.offset.reset=earliest",
                "waybill.schema=apply")) {
            application.getBean(Warehouse.Requests.class).store("lamp");
            application.getBean(Warehouse.Requests.class).store("elephant");

            assertThat(ended(application, "lamp").data().place()).isEqualTo("A7");
            assertThat(ended(application, "elephant").status()).isEqualTo(SagaStatus.ROLLED_BACK);
        }
    }

    @Test
    void aSagaResumesAfterARestart() {
        String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (ConfigurableApplicationContext application = Apps.run(
                Warehouse.class,
                database,
                Apps.WITHOUT_JPA,
                "waybill.schema=apply",
                "waybill.saga.enabled=false",
                "waybill.relay.enabled=false")) {
            application.getBean(Warehouse.Requests.class).store("lamp");
            assertThat(application.getBean(Sagas.class).isRunning()).isFalse();
        }
        try (ConfigurableApplicationContext application = Apps.run(Warehouse.class, database, Apps.WITHOUT_JPA)) {
            assertThat(ended(application, "lamp").data().place()).isEqualTo("A7");
        }
    }

    @SuppressWarnings("unchecked") // the only Saga bean
    private static SagaResult<Warehouse.Request> ended(ConfigurableApplicationContext application, String key) {
        Sagas<?> sagas = application.getBean(Sagas.class);
        Saga<Warehouse.Request> saga = application.getBean(Saga.class);
        await().atMost(Duration.ofMinutes(4))
                .until(() -> sagas.result(saga, key).orElseThrow().status().isEnd());
        return sagas.result(saga, key).orElseThrow();
    }
}

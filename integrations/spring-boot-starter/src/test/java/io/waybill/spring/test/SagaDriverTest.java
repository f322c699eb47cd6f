package io.waybill.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.spring.Apps;
import io.waybill.spring.Warehouse;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A user's test of a service that starts sagas. */
@SpringBootTest(
        classes = Warehouse.class,
        properties = {
            "spring.application.name=shop",
            Apps.WITHOUT_JPA,
            "spring.flyway.enabled=false",
            "waybill.schema=apply"
        })
@WaybillTest
class SagaDriverTest {
    @Autowired
    private Warehouse.Requests requests;

    @Autowired
    private Saga<Warehouse.Request> storeItem;

    @Autowired
    private SagaDriver sagas;

    @Autowired
    private AppendedEvents events;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String database = SharedServers.freshDatabase();
        properties.add("spring.datasource.url", () -> database);
    }

    @Test
    void aTestPlaysTheParticipant() {
        requests.store("lamp");
        Event command = sagas.command("warehouse.shelve");
        assertThat(events).appended("warehouse.shelve").forKey("lamp").once();
        sagas.reply(command, "warehouse.shelved", Map.of("place", "B2"));

        assertThat(sagas.await(storeItem, "lamp").data()).isEqualTo(new Warehouse.Request("lamp", "B2"));
    }

    @Test
    void participantsInTheApplicationAnswer() {
        requests.store("elephant");

        assertThat(sagas.await(storeItem, "elephant").status()).isEqualTo(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aRolledBackStartSendsNoCommand() {
        assertThatThrownBy(() -> requests.storeAndFail("vase")).hasMessage("no");

        assertThatThrownBy(() -> sagas.command("warehouse.shelve"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("No saga has sent a command of type warehouse.shelve");
        assertThatThrownBy(() -> sagas.await(storeItem, "vase", Duration.ZERO))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Saga store-item/vase has not ended")
                .hasMessageContaining("it does not exist");
    }
}

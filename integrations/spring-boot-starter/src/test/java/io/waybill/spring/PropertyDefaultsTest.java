package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.inbox.InboxBuilder;
import io.waybill.relay.RelayBuilder;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.SagasBuilder;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The defaults of the properties are literals, which no compiler compares with the defaults of the builders. */
class PropertyDefaultsTest {
    private final WaybillProperties properties =
            new Binder(new MapConfigurationPropertySource()).bindOrCreate("waybill", WaybillProperties.class);

    @Test
    void theRelayHasTheDefaultsOfItsBuilder() {
        WaybillProperties.Relay relay = properties.relay();
        assertThat(relay.retention()).isEqualTo(RelayBuilder.DEFAULT_EVENT_RETENTION);
        assertThat(relay.lease()).isEqualTo(RelayBuilder.DEFAULT_LEASE);
        assertThat(relay.batchSize()).isEqualTo(RelayBuilder.DEFAULT_BATCH_SIZE);
        assertThat(relay.pollEvery()).isEqualTo(RelayBuilder.DEFAULT_POLL_EVERY);
        assertThat(relay.idleLimit()).isEqualTo(RelayBuilder.DEFAULT_IDLE_LIMIT);
        assertThat(new RetryPolicy(
                        relay.retry().maxAttempts(),
                        relay.retry().firstDelay(),
                        relay.retry().longestDelay()))
                .isEqualTo(RelayBuilder.DEFAULT_RETRY);
    }

    @Test
    void theInboxHasTheDefaultsOfItsBuilder() {
        WaybillProperties.Inbox inbox = properties.inbox();
        assertThat(inbox.retention()).isEqualTo(InboxBuilder.DEFAULT_MARK_RETENTION);
        assertThat(new RetryPolicy(
                        inbox.retry().maxAttempts(),
                        inbox.retry().firstDelay(),
                        inbox.retry().longestDelay()))
                .isEqualTo(InboxBuilder.DEFAULT_RETRY);
    }

    @Test
    void theSagaEngineHasTheDefaultsOfItsBuilder() {
        assertThat(properties.saga().retention()).isEqualTo(SagasBuilder.DEFAULT_RETENTION);
    }
}

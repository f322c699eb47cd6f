package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.processes.Effects;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NatsConsumerTest extends ConsumerContract {
    @Override
    TestBroker feed() {
        return new TestBroker.Nats();
    }

    @Test
    @SuppressWarnings("try") // close() of the client throws InterruptedException
    void anInboxWithAShorterRetentionThanTheStreamDoesNotStart() throws Exception {
        TestBroker.Nats feed = new TestBroker.Nats();
        try (InboxScenario scenario = new InboxScenario(feed);
                io.nats.client.Connection nats = Nats.connect("nats://127.0.0.1:" + feed.port())) {
            JetStreamManagement streams = nats.jetStreamManagement();
            scenario.publish(events(scenario, 1, 1));
            StreamConfiguration made = streams.getStreamInfo(feed.stream()).getConfiguration();
            assertThat(made.getMaxAge())
                    .as("retention of the stream that Waybill creates")
                    .isLessThan(InboxBuilder.DEFAULT_MARK_RETENTION);

            streams.updateStream(StreamConfiguration.builder(made).maxAge(0).build());
            assertThatThrownBy(() -> scenario.start(inbox(scenario, Duration.ofDays(1_000))))
                    .hasMessageContaining(feed.stream())
                    .hasMessageContaining("Set the inbox's retention to InboxBuilder.FOREVER");
            streams.updateStream(StreamConfiguration.builder(made)
                    .maxAge(Duration.ofDays(20))
                    .build());
            assertThatThrownBy(() -> scenario.start(inbox(scenario, Duration.ofDays(20))))
                    .hasMessageContaining("Set the inbox's retention to PT480H0.2S or more");
            scenario.start(inbox(scenario, Duration.ofDays(21)));
            scenario.awaitApplied("stock", 1);
        }
    }

    @Test
    @SuppressWarnings("try") // close() of the client throws InterruptedException
    void aWorkQueueDoesNotRedeliverAcknowledgedMessages() throws Exception {
        TestBroker.Nats feed = new TestBroker.Nats();
        try (InboxScenario scenario = new InboxScenario(feed);
                io.nats.client.Connection nats = Nats.connect("nats://127.0.0.1:" + feed.port())) {
            nats.jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name(feed.stream())
                            .subjects(feed.stream() + ".>")
                            .retentionPolicy(RetentionPolicy.WorkQueue)
                            .build());
            scenario.publish(events(scenario, 1, 1));
            scenario.start(inbox(scenario, Duration.ofDays(1)));
            scenario.awaitApplied("stock", 1);
        }
    }

    private static Inbox<Connection> inbox(InboxScenario scenario, Duration retention) {
        return scenario.inbox("stock", Effects.ledger("stock"))
                .retention(retention)
                .build();
    }
}

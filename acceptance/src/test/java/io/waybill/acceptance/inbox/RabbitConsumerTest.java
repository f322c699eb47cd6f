package io.waybill.acceptance.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.processes.Effects;
import io.waybill.rabbitmq.RabbitInbox;
import io.waybill.testkit.servers.SharedServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RabbitConsumerTest extends ConsumerContract {
    @Override
    TestBroker feed() {
        return new TestBroker.Rabbit();
    }

    /** The messages have no properties. The second consumer receives a message that was delivered to the first one. */
    @Test
    void everyUnreadableMessageIsADeadLetterOnce() throws Exception {
        try (InboxScenario scenario = new InboxScenario(feed())) {
            scenario.introduce(List.of("stock"));
            ConnectionFactory factory = new ConnectionFactory();
            factory.setPort(SharedServers.rabbit().port());
            Inbox<java.sql.Connection> inbox =
                    scenario.inbox("stock", Effects.ledger("stock")).build();
            try (Connection connection = factory.newConnection("test");
                    Channel channel = connection.createChannel()) {
                AMQP.BasicProperties none = new AMQP.BasicProperties.Builder().build();
                channel.basicPublish("waybill", scenario.topic(), none, "one".getBytes(UTF_8));
                channel.basicPublish("waybill", scenario.topic(), none, "two".getBytes(UTF_8));
                BlockingQueue<byte[]> bodies = new LinkedBlockingQueue<>();
                channel.basicQos(1);
                channel.basicConsume(
                        scenario.topic() + "-stock",
                        false,
                        (tag, delivery) -> bodies.add(delivery.getBody()),
                        tag -> {});
                byte[] first = Objects.requireNonNull(bodies.poll(4, TimeUnit.MINUTES), "the first message");
                // The consumer handles the message and dies before it acknowledges it.
                inbox.handle(new ReceivedMessage(scenario.topic(), -1, -1, null, first, Map.of()));
            }
            Counter counter = new Counter();
            scenario.start(scenario.inbox("stock", Effects.ledger("stock"))
                    .listener(counter)
                    .build());
            Awaitility.await().atMost(PATIENCE).until(() -> counter.poison() == 2);
            assertThat(scenario.status("stock").deadLetters()).isEqualTo(2);
        }
    }

    /** One consumer is active, whether or not the queue enforces this. When it stops, another one takes over. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anExistingQueueIsUsedUnchanged(boolean singleActiveConsumer) throws Exception {
        int port = SharedServers.rabbit().port();
        try (InboxScenario scenario = new InboxScenario(feed())) {
            String queue = scenario.topic() + "-existing";
            ConnectionFactory factory = new ConnectionFactory();
            factory.setPort(port);
            try (Connection connection = factory.newConnection("test");
                    Channel channel = connection.createChannel()) {
                channel.exchangeDeclare("waybill", "topic", true);
                channel.queueDeclare(
                        queue, true, false, false, Map.of("x-single-active-consumer", singleActiveConsumer));
                channel.queueBind(queue, "waybill", scenario.topic());
            }
            scenario.publish(events(scenario, 10, 20));
            List<RabbitInbox> consumers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                RabbitInbox.Builder builder = RabbitInbox.builder(
                                "rabbitmq://127.0.0.1:" + port,
                                scenario.inbox("stock", Effects.ledger("stock")).build())
                        .prefetch(20);
                RabbitInbox consumer = (singleActiveConsumer
                                ? builder.existingSingleActiveQueue(queue)
                                : builder.existingQueue(queue))
                        .build();
                consumers.add(consumer);
                consumer.start();
            }
            try {
                scenario.awaitApplied("stock", 50);
                consumers.get(0).close();
                scenario.awaitApplied("stock", 200);
            } finally {
                consumers.forEach(RabbitInbox::close);
            }
            assertOrder(scenario, "stock", 10, 20);
        }
    }
}

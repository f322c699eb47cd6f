package io.waybill.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.waybill.chaos.process.Effects;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.ReceivedMessage;
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
    Feed feed() {
        return new Feed.Rabbit();
    }

    /** Without a single property; the second consumer gets the first one's message again, as the broker counts it. */
    @Test
    void everyMessageThatCannotBeReadIsADeadLetterOnce() throws Exception {
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
                byte[] first = Objects.requireNonNull(bodies.poll(20, TimeUnit.SECONDS), "the first message");
                // Decided by a consumer that dies before it acknowledges.
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

    /** One of them works, whether the queue sees to that or they have to themselves; when it goes, another one does. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anExistingQueueIsTakenAsItIs(boolean singleActiveConsumer) throws Exception {
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

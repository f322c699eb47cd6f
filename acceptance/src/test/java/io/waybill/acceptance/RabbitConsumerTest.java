package io.waybill.acceptance;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.waybill.chaos.process.Effects;
import io.waybill.rabbitmq.RabbitInbox;
import io.waybill.testkit.servers.SharedServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RabbitConsumerTest extends ConsumerContract {
    @Override
    Feed feed() {
        return new Feed.Rabbit();
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

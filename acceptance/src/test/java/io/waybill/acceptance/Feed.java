package io.waybill.acceptance;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.waybill.inbox.Inbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.nats.NatsInbox;
import io.waybill.nats.NatsTransport;
import io.waybill.rabbitmq.RabbitInbox;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.Map;

/** The broker that all tests share, as a relay and a consumer see it. */
interface Feed {
    default Transport transport() {
        return transport(port(), Duration.ofSeconds(15));
    }

    /** @param port where the broker is found, directly or through a proxy */
    Transport transport(int port, Duration sendTimeout);

    /** Builds and starts a consumer, which is then known to the broker. */
    AutoCloseable start(Inbox<?> inbox, String topic, Duration handOverLimit, int port);

    int port();

    /** Whether clients stay on the port that they are given. */
    default boolean staysOnItsPort() {
        return true;
    }

    /** For brokers that keep nothing for a group that they do not know. */
    default void introduce(String topic, String group) throws Exception {}

    final class Kafka implements Feed {
        private final String servers = SharedServers.kafka().bootstrapServers();

        @Override
        public Transport transport(int port, Duration sendTimeout) {
            return KafkaTransport.builder(servers).sendTimeout(sendTimeout).build();
        }

        @Override
        public AutoCloseable start(Inbox<?> inbox, String topic, Duration handOverLimit, int port) {
            KafkaInbox consumer = KafkaInbox.builder(servers, inbox)
                    .topics(topic)
                    .handOverLimit(handOverLimit)
                    .setting("metadata.max.age.ms", 1_000)
                    .build();
            consumer.start();
            return consumer;
        }

        @Override
        public int port() {
            return SharedServers.kafka().port();
        }

        @Override
        public boolean staysOnItsPort() {
            return false;
        }
    }

    /** Queues are named by topic and group: a group of another test must not find what this one left. */
    final class Rabbit implements Feed {
        private final int port = SharedServers.rabbit().port();

        @Override
        public Transport transport(int port, Duration sendTimeout) {
            return RabbitTransport.builder("rabbitmq://127.0.0.1:" + port)
                    .sendTimeout(sendTimeout)
                    .build();
        }

        @Override
        public AutoCloseable start(Inbox<?> inbox, String topic, Duration handOverLimit, int port) {
            RabbitInbox consumer = RabbitInbox.builder("rabbitmq://127.0.0.1:" + port, inbox)
                    .queue(topic + "-" + inbox.group())
                    .topics(topic)
                    .handOverLimit(handOverLimit)
                    .build();
            consumer.start();
            return consumer;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public void introduce(String topic, String group) throws Exception {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setPort(port);
            try (Connection connection = factory.newConnection("test");
                    Channel channel = connection.createChannel()) {
                channel.exchangeDeclare("waybill", "topic", true);
                channel.queueDeclare(
                        topic + "-" + group,
                        true,
                        false,
                        false,
                        Map.of("x-queue-type", "quorum", "x-single-active-consumer", true));
                channel.queueBind(topic + "-" + group, "waybill", topic);
            }
        }
    }

    /** A stream for each topic, for the same reason. */
    final class Nats implements Feed {
        private final int port = SharedServers.nats().port();
        private final String stream = "stream-" + System.nanoTime();

        String stream() {
            return stream;
        }

        @Override
        public Transport transport(int port, Duration sendTimeout) {
            return NatsTransport.builder("nats://127.0.0.1:" + port).stream(stream)
                    .sendTimeout(sendTimeout)
                    .build();
        }

        @Override
        public AutoCloseable start(Inbox<?> inbox, String topic, Duration handOverLimit, int port) {
            NatsInbox consumer = NatsInbox.builder("nats://127.0.0.1:" + port, inbox).stream(stream)
                    .topics(topic)
                    .handOverLimit(handOverLimit)
                    .ackWait(Duration.ofSeconds(1))
                    .build();
            consumer.start();
            return consumer;
        }

        @Override
        public int port() {
            return port;
        }
    }
}

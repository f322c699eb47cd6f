package io.waybill.acceptance.inbox;

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

/** A broker with its transport and its consumer: the shared broker, unless a port is given. */
interface TestBroker {
    default Transport transport() {
        return transport(port(), Duration.ofSeconds(15));
    }

    /** @param port the port of the broker or of a proxy to it */
    Transport transport(int port, Duration sendTimeout);

    /** Builds and starts a consumer. Returns when the broker knows it. */
    AutoCloseable start(Inbox<?> inbox, String topic, Duration handOverLimit, int port);

    int port();

    /** Whether clients keep using the given port. */
    default boolean staysOnItsPort() {
        return true;
    }

    /** Registers a group with brokers that store messages only for known groups. */
    default void introduce(String topic, String group) throws Exception {}

    final class Kafka implements TestBroker {
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

    /** Unique, because queues are named by topic and group and must not be shared between tests. */
    final class Rabbit implements TestBroker {
        private final int port;

        Rabbit() {
            this(SharedServers.rabbit().port());
        }

        Rabbit(int port) {
            this.port = port;
        }

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

    /** One stream for each topic, for the same reason. */
    final class Nats implements TestBroker {
        private final int port;
        private final String stream = "stream-" + System.nanoTime();

        Nats() {
            this(SharedServers.nats().port());
        }

        Nats(int port) {
            this.port = port;
        }

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

package io.waybill.bench.contest;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.DeliveryChecker;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** RabbitMQ at {@code rabbitmq://host:port}, with a quorum queue for each run. */
record RabbitBroker(String url) implements BenchBroker {
    private static final String EXCHANGE = "waybill";

    @Override
    public Transport transport() {
        return RabbitTransport.to(url);
    }

    @Override
    public Sender sender(String topic) throws Exception {
        return new RabbitSender(connect(), EXCHANGE, topic);
    }

    private Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(url.replaceFirst("^rabbitmq", "amqp"));
        return factory.newConnection("waybill-bench");
    }

    @Override
    public Sink sink(String contestant) throws Exception {
        String name = "bench-" + contestant + "-" + System.nanoTime();
        Connection connection = connect();
        Channel channel = connection.createChannel();
        channel.exchangeDeclare(EXCHANGE, "topic", true);
        channel.queueDeclare(name, true, false, false, Map.of("x-queue-type", "quorum"));
        channel.queueBind(name, EXCHANGE, name);
        return new Queue(connection, channel, name);
    }

    private record Queue(Connection connection, Channel channel, String name) implements Sink {
        private static final int SILENCE_SECONDS = 5;

        @Override
        public DeliveryCheck check(int events, boolean ordered) throws Exception {
            DeliveryChecker checker = new DeliveryChecker(events, ordered);
            long count = channel.messageCount(name);
            CountDownLatch missing = new CountDownLatch((int) count);
            channel.basicQos(5_000);
            channel.basicConsume(name, false, new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
                        throws IOException {
                    checker.see(
                            String.valueOf(properties.getHeaders().get("aggregate-id")),
                            new String(body, StandardCharsets.ISO_8859_1));
                    if (envelope.getDeliveryTag() % 1_000 == 0) {
                        channel.basicAck(envelope.getDeliveryTag(), true);
                    }
                    missing.countDown();
                }
            });
            long last = -1;
            while (missing.getCount() > 0 && missing.getCount() != last) {
                last = missing.getCount();
                boolean unused = missing.await(SILENCE_SECONDS, TimeUnit.SECONDS);
            }
            return checker.verdict();
        }

        /** Reads from a separate queue, so that the check finds all messages in the main one. */
        @Override
        public Following follow(Consumer<String> received) throws IOException {
            Channel reader = connection.createChannel();
            String live = reader.queueDeclare().getQueue();
            reader.queueBind(live, EXCHANGE, name);
            reader.basicConsume(live, true, new DefaultConsumer(reader) {
                @Override
                public void handleDelivery(
                        String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                    received.accept(new String(body, StandardCharsets.ISO_8859_1));
                }
            });
            return () -> {
                try {
                    reader.abort();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
        }

        @Override
        public void close() {
            try {
                channel.queueDelete(name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                connection.abort();
            }
        }
    }
}

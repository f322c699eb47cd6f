package io.waybill.bench.contest;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The client of RabbitMQ, used as in Waybill's transport: persistent, mandatory, confirmed. */
final class RabbitSender implements Sender {
    private static final long LIMIT_MILLIS = 60_000;

    private final Connection connection;
    private final Channel channel;
    private final String exchange;
    private final String topic;

    RabbitSender(Connection connection, String exchange, String topic) throws Exception {
        this.connection = connection;
        this.exchange = exchange;
        this.topic = topic;
        this.channel = connection.createChannel();
        channel.confirmSelect();
    }

    @Override
    public void send(String key, byte[] body, Map<String, String> headers) throws Exception {
        Map<String, Object> all = new HashMap<>(headers);
        all.put("aggregate-id", key);
        AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .messageId(UUID.randomUUID().toString())
                .deliveryMode(2)
                .contentType("application/json")
                .headers(all)
                .build();
        channel.basicPublish(exchange, topic, true, properties, body);
    }

    @Override
    public void flush() throws Exception {
        channel.waitForConfirmsOrDie(LIMIT_MILLIS);
    }

    @Override
    public void close() {
        connection.abort();
    }
}

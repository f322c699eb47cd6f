package io.waybill.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.Connection;
import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import io.waybill.transport.support.ConfirmedSender;
import java.time.Duration;

/**
 * Sends events to a RabbitMQ exchange as persistent, mandatory messages and waits for the broker's confirm of each.
 *
 * <p>The topic is the routing key, the event id the message id, and the key the header {@code aggregate-id}. The transport connects
 * when the first message is sent, so it can be built while RabbitMQ is down, and it reconnects after every outage. It creates a
 * missing exchange as a durable topic exchange. Each result arrives within the send timeout. After a timeout RabbitMQ may still have
 * stored the message; the retry then stores it twice.
 *
 * <p>A message for which no queue is bound fails as {@link Failure.Kind#DESTINATION}, because an operator can add the binding without
 * changing the event. When a queue is full or has lost its majority, the message fails as {@link Failure.Kind#OUTAGE}.
 *
 * <p>Any number of messages are in flight, but only one of each key: RabbitMQ cannot make a message depend on its predecessor,
 * and a queue that rejects one message may accept the next one.
 */
public final class RabbitTransport implements Transport {
    private final RabbitConnector connector;
    private final ConfirmedSender sender;

    private RabbitTransport(Builder builder) {
        this.connector = new RabbitConnector(
                builder.address, builder.exchange, ConfirmedSender.connectTimeout(builder.sendTimeout));
        SizeLimit limit = new SizeLimit(builder.maxMessageBytes);
        this.sender = new ConfirmedSender(
                connector.toString(), builder.sendTimeout, () -> RabbitConnection.open(connector, limit));
    }

    /** @param url {@code rabbitmq://user:password@host:port/vhost}; separate several nodes with commas */
    public static RabbitTransport to(String url) {
        return builder(url).build();
    }

    public static Builder builder(String url) {
        return new Builder(RabbitAddress.parse(requireNonNull(url, "url")));
    }

    @Override
    public void send(Message message, Delivery delivery) {
        sender.send(message, delivery);
    }

    @Override
    public void probe() {
        sender.probe(() -> {
            Connection connection = connector.connect("probe", socket -> {});
            try {
                connector.ensureExchange(connection);
            } finally {
                connection.abort(500);
            }
        });
    }

    /**
     * Returns what the management plugin reports about the exchange and its queues. Needs {@code tools.jackson.core:jackson-core}
     * on the class path, which is not a dependency of this module.
     *
     * @param management the plugin's URL; empty for port 15672 of the first node
     * @throws WaybillException when the plugin does not answer
     */
    public RabbitDiagnosis diagnose(String management) {
        return new ManagementApi(connector.address(), management).diagnose(connector.exchange());
    }

    @Override
    public void close() {
        sender.close();
    }

    @Override
    public String toString() {
        return connector.toString();
    }

    /** All settings are optional. */
    public static final class Builder {
        private final RabbitAddress address;
        private String exchange = "waybill";
        private long maxMessageBytes = 16L * 1024 * 1024;
        private Duration sendTimeout = Duration.ofSeconds(15);

        private Builder(RabbitAddress address) {
            this.address = address;
        }

        /** The exchange to publish to (default {@code waybill}). With an empty name, a topic is the name of a queue. */
        public Builder exchange(String name) {
            exchange = requireNonNull(name, "name");
            return this;
        }

        /** Largest body to send (default 16 MiB, the default limit of RabbitMQ 4). Larger messages fail without being sent. */
        public Builder maxMessageBytes(long bytes) {
            maxMessageBytes = bytes;
            return this;
        }

        /** Limit for the whole send, from the call to the result (default 15 s). */
        public Builder sendTimeout(Duration timeout) {
            sendTimeout = requireNonNull(timeout, "timeout");
            return this;
        }

        public RabbitTransport build() {
            if (maxMessageBytes < 1) {
                throw new WaybillException("maxMessageBytes must be 1 or more, not " + maxMessageBytes + ".");
            }
            return new RabbitTransport(this);
        }
    }
}

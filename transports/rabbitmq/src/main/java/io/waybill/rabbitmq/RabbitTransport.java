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
 * Sends events to a RabbitMQ exchange, each persistent, mandatory and confirmed.
 *
 * <p>The topic is the routing key, the event id the message id, and the key the header {@code aggregate-id}. Nothing is asked of
 * the broker before the first message, so a transport can be built while RabbitMQ is down, and it outlives every outage. The
 * exchange is created, as a durable topic exchange, when it is missing. Each result comes within the send timeout. When it is a
 * time-out, RabbitMQ may have the message all the same: sent again, it arrives twice.
 *
 * <p>A message that no queue is bound for fails as {@link Failure.Kind#TRANSIENT}, because an operator can put it right without
 * touching the event; one that a queue refuses because it is full or without a majority fails as {@link Failure.Kind#OUTAGE}.
 *
 * <p>Any number of messages are on their way at once, of each key one: RabbitMQ has no way to make a message depend on the one
 * before it, and a queue that refuses one may take the next.
 */
public final class RabbitTransport implements Transport {
    private final Broker broker;
    private final ConfirmedSender courier;

    private RabbitTransport(Builder builder) {
        this.broker = new Broker(builder.address, builder.exchange, ConfirmedSender.patience(builder.sendTimeout));
        SizeLimit limit = new SizeLimit(builder.maxMessageBytes);
        this.courier =
                new ConfirmedSender(broker.toString(), builder.sendTimeout, () -> RabbitLink.open(broker, limit));
    }

    /** A transport with default settings to {@code rabbitmq://user:password@host:port/vhost}. */
    public static RabbitTransport to(String url) {
        return builder(url).build();
    }

    public static Builder builder(String url) {
        return new Builder(RabbitAddress.parse(requireNonNull(url, "url")));
    }

    @Override
    public void send(Message message, Delivery delivery) {
        courier.send(message, delivery);
    }

    @Override
    public void probe() {
        courier.probe(() -> {
            Connection connection = broker.connect("probe", socket -> {});
            try {
                broker.ensureExchange(connection);
            } finally {
                connection.abort(500);
            }
        });
    }

    /**
     * What the management plugin says about the exchange and its queues.
     *
     * @param management its address; empty for port 15672 of the first node
     * @throws WaybillException when it does not answer
     */
    public RabbitDiagnosis diagnose(String management) {
        return new Management(broker.address(), management).diagnose(broker.exchange());
    }

    @Override
    public void close() {
        courier.close();
    }

    @Override
    public String toString() {
        return broker.toString();
    }

    /** Settings with their defaults; nothing has to be set. */
    public static final class Builder {
        private final RabbitAddress address;
        private String exchange = "waybill";
        private long maxMessageBytes = 16L * 1024 * 1024;
        private Duration sendTimeout = Duration.ofSeconds(15);

        private Builder(RabbitAddress address) {
            this.address = address;
        }

        /** Where to publish: {@code waybill}. With an empty name a topic is the name of a queue. */
        public Builder exchange(String name) {
            exchange = requireNonNull(name, "name");
            return this;
        }

        /** Refuses larger bodies before they are sent: 16 MiB, which is what RabbitMQ 4 takes by default; older ones take more. */
        public Builder maxMessageBytes(long bytes) {
            maxMessageBytes = bytes;
            return this;
        }

        /** How long it may take until the result of a message is known, everything included; 15 seconds by default. */
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

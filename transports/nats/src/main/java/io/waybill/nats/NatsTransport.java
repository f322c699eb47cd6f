package io.waybill.nats;

import static java.util.Objects.requireNonNull;

import io.nats.client.Connection;
import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import io.waybill.transport.support.ConfirmedSender;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Sends events to a NATS JetStream stream and waits for its acknowledgement of each.
 *
 * <p>The subject is the stream's name, a dot and the topic. The event id is the {@code Nats-Msg-Id}: the stream drops messages with
 * the same id within its duplicate window (two minutes by default). The key is the header {@code aggregate-id}. Topics and headers
 * are percent-encoded where NATS does not accept them.
 *
 * <p>The transport connects when the first message is sent, so it can be built while NATS is down, and it reconnects after every
 * outage. It creates the stream when it is missing. Each result arrives within the send timeout.
 *
 * <p>A message whose subject the stream does not accept fails as {@link Failure.Kind#DESTINATION}, because an operator can correct
 * the stream without changing the event. When the stream is full or has no leader, the message fails as {@link Failure.Kind#OUTAGE}.
 *
 * <p>Any number of messages are in flight, but only one of each key: a stream that rejects a message may accept the next one.
 */
public final class NatsTransport implements Transport {
    private final NatsConnector connector;
    private final ConfirmedSender sender;

    private NatsTransport(Builder builder) {
        this.connector = new NatsConnector(
                builder.url, builder.stream, builder.replicas, ConfirmedSender.connectTimeout(builder.sendTimeout));
        this.sender =
                new ConfirmedSender(connector.toString(), builder.sendTimeout, () -> NatsConnection.open(connector));
    }

    /** @param url {@code nats://user:password@host:port}; separate several with commas */
    public static NatsTransport to(String url) {
        return builder(url).build();
    }

    public static Builder builder(String url) {
        return new Builder(requireNonNull(url, "url"));
    }

    @Override
    public void send(Message message, Delivery delivery) {
        sender.send(message, delivery);
    }

    @Override
    public void probe() {
        sender.probe(() -> ask(connection -> connector.ensureStream(connection)));
    }

    /**
     * Returns what the server reports about itself and the stream.
     *
     * @throws WaybillException when the server does not answer
     */
    public NatsDiagnosis diagnose() {
        return ask(connection -> NatsDiagnosis.of(connection.getServerInfo(), connector.ensureStream(connection)));
    }

    private <T> T ask(Function<Connection, T> request) {
        Connection connection = connector.connect("probe", () -> {});
        try {
            return request.apply(connection);
        } finally {
            NatsConnection.close(connection);
        }
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
        private static final Pattern STREAM = Pattern.compile("[\\w-]{1,64}");

        private final String url;
        private String stream = "waybill";
        private int replicas = 1;
        private Duration sendTimeout = Duration.ofSeconds(15);

        private Builder(String url) {
            this.url = url;
        }

        /** The stream to publish to (default {@code waybill}, with the subjects {@code waybill.>}). */
        public Builder stream(String name) {
            stream = requireNonNull(name, "name");
            return this;
        }

        /** Number of servers that store the stream, when this transport creates it (default 1). */
        public Builder replicas(int servers) {
            replicas = servers;
            return this;
        }

        /** Limit for the whole send, from the call to the result (default 15 s). */
        public Builder sendTimeout(Duration timeout) {
            sendTimeout = requireNonNull(timeout, "timeout");
            return this;
        }

        public NatsTransport build() {
            if (!STREAM.matcher(stream).matches()) {
                throw new WaybillException(
                        "The stream's name must have 1 to 64 letters, digits, '_' and '-', not '" + stream + "'.");
            }
            if (replicas < 1 || replicas > 5) {
                throw new WaybillException("replicas must be between 1 and 5, not " + replicas + ".");
            }
            return new NatsTransport(this);
        }
    }
}

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
 * Sends events to a JetStream stream of NATS, each acknowledged by it.
 *
 * <p>The subject is the stream's name, a dot and the topic; the event id is {@code Nats-Msg-Id}, so that the stream keeps one of
 * those that come within its duplicate window (two minutes unless set); the key is the header {@code aggregate-id}. Topics and
 * headers are percent-encoded where NATS would not take them. Nothing is asked of the server before the first message, so a
 * transport can be built while NATS is down, and it outlives every outage. The stream is created when it is missing. Each result
 * comes within the send timeout.
 *
 * <p>A subject that the stream does not take fails as {@link Failure.Kind#TRANSIENT}, because an operator can put it right without
 * touching the event; a stream that is full or without a leader fails as {@link Failure.Kind#OUTAGE}.
 *
 * <p>Any number of messages are on their way at once, of each key one: a stream that refuses a message may take the next.
 */
public final class NatsTransport implements Transport {
    private final Broker broker;
    private final ConfirmedSender courier;

    private NatsTransport(Builder builder) {
        this.broker = new Broker(
                builder.url, builder.stream, builder.replicas, ConfirmedSender.patience(builder.sendTimeout));
        this.courier = new ConfirmedSender(broker.toString(), builder.sendTimeout, () -> NatsLink.open(broker));
    }

    /** A transport with default settings to {@code nats://user:password@host:port}; several of them with commas between. */
    public static NatsTransport to(String url) {
        return builder(url).build();
    }

    public static Builder builder(String url) {
        return new Builder(requireNonNull(url, "url"));
    }

    @Override
    public void send(Message message, Delivery delivery) {
        courier.send(message, delivery);
    }

    @Override
    public void probe() {
        courier.probe(() -> ask(connection -> broker.ensureStream(connection)));
    }

    /** What the server says about itself and the stream; throws as {@link #probe()} does when it does not answer. */
    public NatsDiagnosis diagnose() {
        return ask(connection -> NatsDiagnosis.of(connection.getServerInfo(), broker.ensureStream(connection)));
    }

    private <T> T ask(Function<Connection, T> question) {
        Connection connection = broker.connect("probe", () -> {});
        try {
            return question.apply(connection);
        } finally {
            NatsLink.close(connection);
        }
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
        private static final Pattern STREAM = Pattern.compile("[\\w-]{1,64}");

        private final String url;
        private String stream = "waybill";
        private int replicas = 1;
        private Duration sendTimeout = Duration.ofSeconds(15);

        private Builder(String url) {
            this.url = url;
        }

        /** Where to publish: {@code waybill}, with the subjects {@code waybill.>}. */
        public Builder stream(String name) {
            stream = requireNonNull(name, "name");
            return this;
        }

        /** On how many servers a stream that is created here is kept: 1. */
        public Builder replicas(int servers) {
            replicas = servers;
            return this;
        }

        /** How long it may take until the result of a message is known, everything included; 15 seconds by default. */
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

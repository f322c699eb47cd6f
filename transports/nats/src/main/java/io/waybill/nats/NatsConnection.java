package io.waybill.nats;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.PublishOptions;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.NatsMessage;
import io.waybill.WaybillException;
import io.waybill.internal.DaemonThreads;
import io.waybill.transport.Failure;
import io.waybill.transport.support.BrokerConnection;
import io.waybill.transport.support.PendingMessage;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A connection that publishes to one stream. Acknowledgements arrive on threads of the NATS client. */
final class NatsConnection implements BrokerConnection {
    /** JetStream's error code for a body above the stream's size limit. */
    private static final int TOO_LARGE = 10_054;
    /** JetStream's error code for a subject that belongs to another stream. */
    private static final int WRONG_STREAM = 10_060;

    private static final String CONNECTION_LOST = "The connection was lost.";

    private final NatsConnector connector;
    private final Connection connection;
    private final JetStream jetStream;
    private final List<String> subjects;
    private final Set<PendingMessage> unanswered = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable String> lost;
    private volatile long lastResponseAt = System.nanoTime();
    private volatile String lastAccepted = "";

    private NatsConnection(
            NatsConnector connector, Connection connection, StreamInfo stream, AtomicReference<@Nullable String> lost)
            throws IOException {
        this.connector = connector;
        this.connection = connection;
        this.lost = lost;
        this.subjects = List.copyOf(stream.getConfiguration().getSubjects());
        this.jetStream = connection.jetStream(connector.jetStreamOptions());
    }

    static NatsConnection open(NatsConnector connector) {
        AtomicReference<@Nullable String> lost = new AtomicReference<>();
        AtomicReference<@Nullable NatsConnection> self = new AtomicReference<>();
        Connection connection = connector.connect("relay", () -> {
            NatsConnection opened = self.get();
            if (opened == null) {
                lost.set(CONNECTION_LOST);
            } else {
                opened.abort(CONNECTION_LOST);
            }
        });
        try {
            NatsConnection opened = new NatsConnection(connector, connection, connector.ensureStream(connection), lost);
            self.set(opened);
            return opened;
        } catch (WaybillException e) {
            close(connection);
            throw e;
        } catch (IOException | RuntimeException e) {
            close(connection);
            throw connector.unreachable(e);
        }
    }

    @Override
    public boolean isOpen() {
        return lost.get() == null;
    }

    @Override
    public long lastResponseAt() {
        return lastResponseAt;
    }

    @Override
    public void publish(PendingMessage message) {
        NatsMessage encoded = NatsMessageEncoder.encode(connector.stream(), message.message());
        Failure refusal = refusal(message, encoded);
        if (refusal != null) {
            message.failed(refusal);
            return;
        }
        unanswered.add(message);
        String reason = lost.get();
        if (reason != null) {
            message.failed(outage(message, reason));
            return;
        }
        try {
            CompletableFuture<PublishAck> answer = jetStream.publishAsync(
                    encoded,
                    PublishOptions.builder()
                            .messageId(message.message().id().toString())
                            .expectedStream(connector.stream())
                            .build());
            CompletableFuture<?> unused = answer.whenComplete((ack, error) -> answered(message, error));
        } catch (RuntimeException e) {
            unanswered.remove(message);
            message.failed(outage(message, NatsConnector.describe(e)));
        }
    }

    private @Nullable Failure refusal(PendingMessage message, NatsMessage encoded) {
        if (message.message().topic().isEmpty()) {
            return Failure.permanent(connector + " cannot take " + message.event() + ": its topic is empty.");
        }
        long most = connection.getMaxPayload();
        long size = encoded.getData().length
                + (encoded.getHeaders() == null ? 0L : encoded.getHeaders().serializedLength());
        // The client adds headers with the message id and the stream's name.
        if (most > 0 && size + 128 + connector.stream().length() > most) {
            return Failure.permanent(connector + " cannot take " + message.event() + ": it has " + size
                    + " bytes with its headers, at most " + most
                    + " are accepted. Raise the server's max_payload, or make the message smaller.");
        }
        if (!accepted(encoded.getSubject())) {
            return Failure.destination(connector + " cannot store " + message.event() + ": stream "
                    + connector.stream() + " does not accept subject " + encoded.getSubject()
                    + ". Add it to the stream's subjects.");
        }
        return null;
    }

    /** Remembers the last match: consecutive messages often have the same subject. */
    private boolean accepted(String subject) {
        if (subject.equals(lastAccepted)) {
            return true;
        }
        boolean accepted = subjects.stream().anyMatch(pattern -> Subjects.matches(pattern, subject));
        if (accepted) {
            lastAccepted = subject;
        }
        return accepted;
    }

    private void answered(PendingMessage message, @Nullable Throwable error) {
        unanswered.remove(message);
        if (error == null) {
            lastResponseAt = System.nanoTime();
            message.acknowledged();
            return;
        }
        Throwable cause = error;
        while (cause.getCause() != null && !(cause instanceof JetStreamApiException)) {
            cause = cause.getCause();
        }
        String refusal = connector + " refused " + message.event() + ": " + NatsConnector.describe(cause);
        if (cause instanceof JetStreamApiException refused) {
            lastResponseAt = System.nanoTime();
            message.failed(
                    switch (refused.getApiErrorCode()) {
                        case TOO_LARGE ->
                            Failure.permanent(
                                    refusal + " Raise the stream's max_msg_size, or make the message smaller.");
                        case WRONG_STREAM ->
                            Failure.destination(refusal + " Remove this subject from the other stream.");
                        default -> Failure.outage(refusal + " Check the stream " + connector.stream() + ".");
                    });
        } else {
            message.failed(Failure.outage(refusal));
        }
    }

    @Override
    public void abort(String reason) {
        if (!lost.compareAndSet(null, reason)) {
            return;
        }
        // Closing can block while the server does not read, so it runs on a thread of its own.
        DaemonThreads.create("waybill-nats-close", () -> close(connection)).start();
        unanswered.forEach(message -> message.failed(outage(message, reason)));
        unanswered.clear();
    }

    private Failure outage(PendingMessage message, String reason) {
        return Failure.outage(connector + " did not acknowledge " + message.event() + ": " + reason);
    }

    @Override
    public void close() {
        lost.compareAndSet(null, "The transport was closed.");
        close(connection);
    }

    static void close(Connection connection) {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.waybill.nats;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.PublishOptions;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.NatsMessage;
import io.waybill.WaybillException;
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

/** A connection that publishes to one stream. Answers come on the client's own threads. */
final class NatsLink implements BrokerConnection {
    /** What JetStream answers when a body is larger than its stream takes. */
    private static final int TOO_LARGE = 10_054;
    /** Another stream has this subject. */
    private static final int WRONG_STREAM = 10_060;

    private static final String CONNECTION_LOST = "The connection was lost.";

    private final Broker broker;
    private final Connection connection;
    private final JetStream jetStream;
    private final List<String> subjects;
    private final Set<PendingMessage> unanswered = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable String> lost;
    private volatile long heardAt = System.nanoTime();
    private volatile String lastCovered = "";

    private NatsLink(Broker broker, Connection connection, StreamInfo stream, AtomicReference<@Nullable String> lost)
            throws IOException {
        this.broker = broker;
        this.connection = connection;
        this.lost = lost;
        this.subjects = List.copyOf(stream.getConfiguration().getSubjects());
        this.jetStream = connection.jetStream(broker.jetStreamOptions());
    }

    static NatsLink open(Broker broker) {
        AtomicReference<@Nullable String> lost = new AtomicReference<>();
        AtomicReference<@Nullable NatsLink> self = new AtomicReference<>();
        Connection connection = broker.connect("relay", () -> {
            NatsLink link = self.get();
            if (link == null) {
                lost.set(CONNECTION_LOST);
            } else {
                link.lose(CONNECTION_LOST);
            }
        });
        try {
            NatsLink link = new NatsLink(broker, connection, broker.ensureStream(connection), lost);
            self.set(link);
            return link;
        } catch (WaybillException e) {
            close(connection);
            throw e;
        } catch (IOException | RuntimeException e) {
            close(connection);
            throw broker.refused(e);
        }
    }

    @Override
    public boolean isOpen() {
        return lost.get() == null;
    }

    @Override
    public long heardAt() {
        return heardAt;
    }

    @Override
    public void publish(PendingMessage message) {
        NatsMessage encoded = Wire.message(broker.stream(), message.message());
        Failure refusal = refusal(message, encoded);
        if (refusal != null) {
            message.failed(refusal);
            return;
        }
        unanswered.add(message);
        String gone = lost.get();
        if (gone != null) {
            message.failed(outage(message, gone));
            return;
        }
        try {
            CompletableFuture<PublishAck> answer = jetStream.publishAsync(
                    encoded,
                    PublishOptions.builder()
                            .messageId(message.message().id().toString())
                            .expectedStream(broker.stream())
                            .build());
            CompletableFuture<?> unused = answer.whenComplete((ack, error) -> answered(message, error));
        } catch (RuntimeException e) {
            unanswered.remove(message);
            message.failed(outage(message, Broker.said(e)));
        }
    }

    private @Nullable Failure refusal(PendingMessage message, NatsMessage encoded) {
        if (message.message().topic().isEmpty()) {
            return Failure.permanent(broker + " cannot take " + message.event() + ": its topic is empty.");
        }
        long most = connection.getMaxPayload();
        long size = encoded.getData().length
                + (encoded.getHeaders() == null ? 0L : encoded.getHeaders().serializedLength());
        // the id and the stream, which are added on the way
        if (most > 0 && size + 128 + broker.stream().length() > most) {
            return Failure.permanent(broker + " cannot take " + message.event() + ": it has " + size
                    + " bytes with its headers, at most " + most
                    + " are accepted. Raise the server's max_payload, or make it smaller.");
        }
        if (!covered(encoded.getSubject())) {
            return Failure.destination(broker + " has nowhere to put " + message.event() + ": stream "
                    + broker.stream() + " does not take subject " + encoded.getSubject()
                    + ". Add it to the stream's subjects.");
        }
        return null;
    }

    /** Many messages in a row have the same one. */
    private boolean covered(String subject) {
        if (subject.equals(lastCovered)) {
            return true;
        }
        boolean covered = subjects.stream().anyMatch(pattern -> covers(pattern, subject));
        if (covered) {
            lastCovered = subject;
        }
        return covered;
    }

    /** As NATS does it: a star stands for one word, a greater-than sign for all the rest. */
    static boolean covers(String pattern, String subject) {
        String[] expected = pattern.split("\\.", -1);
        String[] words = subject.split("\\.", -1);
        for (int i = 0; i < expected.length; i++) {
            if (expected[i].equals(">")) {
                return words.length > i;
            }
            if (i >= words.length || !(expected[i].equals("*") || expected[i].equals(words[i]))) {
                return false;
            }
        }
        return words.length == expected.length;
    }

    private void answered(PendingMessage message, @Nullable Throwable error) {
        unanswered.remove(message);
        if (error == null) {
            heardAt = System.nanoTime();
            message.acknowledged();
            return;
        }
        Throwable cause = error;
        while (cause.getCause() != null && !(cause instanceof JetStreamApiException)) {
            cause = cause.getCause();
        }
        String said = broker + " refused " + message.event() + ": " + Broker.said(cause);
        if (cause instanceof JetStreamApiException refused) {
            heardAt = System.nanoTime();
            message.failed(
                    switch (refused.getApiErrorCode()) {
                        case TOO_LARGE -> Failure.permanent(said + " Raise the stream's limit, or make it smaller.");
                        case WRONG_STREAM -> Failure.destination(said + " Let no other stream take this subject.");
                        default -> Failure.outage(said + " Look at the stream " + broker.stream() + ".");
                    });
        } else {
            message.failed(Failure.outage(said));
        }
    }

    @Override
    public void lose(String reason) {
        if (!lost.compareAndSet(null, reason)) {
            return;
        }
        // Closing may wait for a server that does not read; nobody here waits for that.
        Thread closing = new Thread(() -> close(connection), "waybill-nats-close");
        closing.setDaemon(true);
        closing.start();
        unanswered.forEach(message -> message.failed(outage(message, reason)));
        unanswered.clear();
    }

    private Failure outage(PendingMessage message, String reason) {
        return Failure.outage(broker + " did not acknowledge " + message.event() + ": " + reason);
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

package io.waybill.nats;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.waybill.WaybillException;
import io.waybill.internal.Secrets;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Opens connections to NATS, creates the stream when it is missing, and describes connection errors. */
final class NatsConnector {
    private static final int NOT_FOUND = 404;

    /** The default retention of Kafka; shorter than the default retention of an inbox. */
    static final Duration STREAM_MAX_AGE = Duration.ofDays(7);

    private final String url;
    private final String stream;
    private final int replicas;
    private final Duration timeout;

    /** @param timeout limit for opening a connection and for each request */
    NatsConnector(String url, String stream, int replicas, Duration timeout) {
        this.url = url;
        this.stream = stream;
        this.replicas = replicas;
        this.timeout = timeout;
    }

    String stream() {
        return stream;
    }

    JetStreamOptions jetStreamOptions() {
        return JetStreamOptions.builder().requestTimeout(timeout).build();
    }

    /**
     * Opens a connection that does not reconnect by itself: after a reconnect the client would resend messages whose delivery has
     * already been reported as failed.
     *
     * @param whenLost called when the returned connection is lost, possibly more than once. Not every event of the client means
     *     that: the client also reports each server that it failed to reach, on a thread of its own and possibly much later.
     *     Therefore the status of the connection is checked, too
     */
    Connection connect(String purpose, Runnable whenLost) {
        AtomicBoolean established = new AtomicBoolean();
        try {
            Connection connection = Nats.connect(new Options.Builder()
                    .server(url)
                    .connectionName("waybill-" + purpose)
                    .connectionTimeout(timeout)
                    .socketWriteTimeout(timeout)
                    .noReconnect()
                    .connectionListener((source, event) -> {
                        if (established.get() && isClosed(source)) {
                            whenLost.run();
                        }
                    })
                    .errorListener(new ErrorListener() {})
                    .build());
            established.set(true);
            if (isClosed(connection)) {
                whenLost.run();
            }
            return connection;
        } catch (IOException | IllegalArgumentException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unreachable(e);
        }
    }

    private static boolean isClosed(Connection connection) {
        return connection.getStatus() == Connection.Status.CLOSED
                || connection.getStatus() == Connection.Status.DISCONNECTED;
    }

    /** Returns the stream. Creates it with the subjects {@code stream.>} if it is missing; does not change an existing stream. */
    StreamInfo ensureStream(Connection connection) {
        try {
            JetStreamManagement management = connection.jetStreamManagement(jetStreamOptions());
            try {
                return management.getStreamInfo(stream);
            } catch (JetStreamApiException e) {
                if (e.getErrorCode() != NOT_FOUND) {
                    throw e;
                }
                return management.addStream(StreamConfiguration.builder()
                        .name(stream)
                        .subjects(stream + ".>")
                        .storageType(StorageType.File)
                        .maxAge(STREAM_MAX_AGE)
                        .replicas(replicas)
                        .build());
            }
        } catch (IOException | JetStreamApiException | IllegalStateException e) {
            throw new WaybillException(
                    this + " has no stream " + stream + ": " + describe(e)
                            + " Check that JetStream is enabled and has a leader, or create the stream with"
                            + " the subjects " + stream + ".>.",
                    e);
        }
    }

    WaybillException unreachable(Exception e) {
        String error = describe(e);
        String shown = Secrets.maskIn(error, url);
        return new WaybillException(
                "Cannot reach " + this + ": " + shown
                        + " Check that the server is running, that no firewall blocks the connection, and that user and password are"
                        + " right.",
                shown.equals(error) ? e : null); // a cause that contains the password would print it in the stack trace
    }

    static String describe(Throwable e) {
        String message = e.getMessage();
        String text = message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
        String line = text.replaceAll("\\s+", " ").strip();
        return line.endsWith(".") ? line : line + ".";
    }

    /** Names the servers without user and password. */
    @Override
    public String toString() {
        return "NATS at " + Secrets.strip(url).replaceAll("[a-z]+://", "").replaceAll("[^,/@]*@", "");
    }
}

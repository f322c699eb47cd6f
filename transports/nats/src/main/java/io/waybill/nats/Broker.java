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

/** The way to NATS, the stream there, and what is wrong with either in words. */
final class Broker {
    private static final int NOT_FOUND = 404;

    /** As long as Kafka keeps a message by default, and less than an inbox remembers by default. */
    static final Duration MAX_AGE = Duration.ofDays(7);

    private final String url;
    private final String stream;
    private final int replicas;
    private final Duration patience;

    /** @param patience how long a connection, or an answer to a question, may take */
    Broker(String url, String stream, int replicas, Duration patience) {
        this.url = url;
        this.stream = stream;
        this.replicas = replicas;
        this.patience = patience;
    }

    String stream() {
        return stream;
    }

    JetStreamOptions jetStreamOptions() {
        return JetStreamOptions.builder().requestTimeout(patience).build();
    }

    /**
     * A new connection, which never comes back by itself: the client would send again what nobody waits for any more.
     *
     * @param whenLost called once the connection that was returned is gone, perhaps more than once. The client's events alone do not
     *     tell: it also reports each server that it tried in vain, on a thread of its own and at any later time
     */
    Connection connect(String purpose, Runnable whenLost) {
        AtomicBoolean established = new AtomicBoolean();
        try {
            Connection connection = Nats.connect(new Options.Builder()
                    .server(url)
                    .connectionName("waybill-" + purpose)
                    .connectionTimeout(patience)
                    .socketWriteTimeout(patience)
                    .noReconnect()
                    .connectionListener((source, event) -> {
                        if (established.get() && isGone(source)) {
                            whenLost.run();
                        }
                    })
                    .errorListener(new ErrorListener() {})
                    .build());
            established.set(true);
            if (isGone(connection)) {
                whenLost.run();
            }
            return connection;
        } catch (IOException | IllegalArgumentException e) {
            throw refused(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(e);
        }
    }

    private static boolean isGone(Connection connection) {
        return connection.getStatus() == Connection.Status.CLOSED
                || connection.getStatus() == Connection.Status.DISCONNECTED;
    }

    /** The stream, created for all topics below its name unless there is one; an existing one is right as it is. */
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
                        .maxAge(MAX_AGE)
                        .replicas(replicas)
                        .build());
            }
        } catch (IOException | JetStreamApiException | IllegalStateException e) {
            throw new WaybillException(
                    this + " has no stream " + stream + ": " + said(e)
                            + " See whether JetStream is switched on there and its leader is up, or create the stream with"
                            + " the subjects " + stream + ".>.",
                    e);
        }
    }

    WaybillException refused(Exception e) {
        String said = said(e);
        String shown = Secrets.maskIn(said, url);
        return new WaybillException(
                "Cannot reach " + this + ": " + shown
                        + " See whether it runs there, whether a firewall is between, and whether user and password are"
                        + " right.",
                shown.equals(said) ? e : null); // a cause that quotes the password would show it in a stack trace
    }

    static String said(Throwable e) {
        String message = e.getMessage();
        String text = message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
        String line = text.replaceAll("\\s+", " ").strip();
        return line.endsWith(".") ? line : line + ".";
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return "NATS at " + Secrets.strip(url).replaceAll("[a-z]+://", "").replaceAll("[^,/@]*@", "");
    }
}

package io.waybill.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfoOptions;
import io.waybill.embedded.DebianServer;
import io.waybill.embedded.LocalNats;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.DebianPackage;
import io.waybill.testkit.servers.NotRun;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A NATS server behind a proxy. */
public final class BreakableNats extends BreakableServer<LocalNats> {
    private static final String STREAM = "waybill";

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    public BreakableNats(Path folder, Connector connector) {
        this(connector, start(folder));
    }

    private BreakableNats(Connector connector, LocalNats nats) {
        super(connector, nats, TcpProxy.to(nats.port()));
    }

    private static LocalNats start(Path folder) {
        DebianPackage.require("nats-server", LocalNats.PROGRAM);
        return start(LocalNats.builder(folder));
    }

    private static LocalNats start(LocalNats.Builder builder) {
        return builder.setting("max_payload: " + SIZE_LIMIT).start();
    }

    /** A {@link DebianServer#NATS}, under the same conditions as {@link #startNewest}. */
    public static BreakableNats newest(Path folder, Connector connector) {
        return new BreakableNats(connector, startNewest(folder));
    }

    /** Starts a {@link DebianServer#NATS}. Aborts the test, and reports it as not run, where it cannot be downloaded. */
    public static LocalNats startNewest(Path folder) {
        DebianServer.NATS.obstacle().ifPresent(NotRun::because);
        return start(LocalNats.builder(folder).newest());
    }

    @Override
    public String address() {
        return "nats://127.0.0.1:" + proxy().port();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.SIZE_LIMIT, Capability.ILLEGAL_TOPICS, Capability.DEDUPLICATION);
    }

    /** No-op: the stream accepts all topics, unless {@link #takeOnly} restricts it. */
    @Override
    public void createTopic(String name) {}

    /** Restricts the stream to these topics. */
    public void takeOnly(List<String> topics) {
        StreamConfiguration stream = StreamConfiguration.builder()
                .name(STREAM)
                .subjects(topics.stream().map(topic -> STREAM + "." + topic).toList())
                .build();
        with(connection -> {
            JetStreamManagement streams = connection.jetStreamManagement();
            return streams.getStreamNames().contains(STREAM) ? streams.updateStream(stream) : streams.addStream(stream);
        });
    }

    /** Code of a test that uses the plain client. */
    @FunctionalInterface
    public interface Work<T> {
        T with(Connection connection) throws Exception;
    }

    /** Connects the plain client directly, without the proxy, and runs the code. */
    public <T> T with(Work<T> work) {
        Options options = new Options.Builder()
                .server("nats://127.0.0.1:" + server().port())
                .noReconnect()
                .build();
        try {
            Connection connection = Nats.connect(options);
            try {
                return work.with(connection);
            } finally {
                connection.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("The request of the test to NATS failed", e);
        }
    }

    @Override
    public List<ReceivedMessage> read(String topic, int expectedCount) {
        return with(connection -> {
            String subject = STREAM + "." + topic;
            // On a busy machine, the next stored message can arrive later than any fixed pause.
            long expected = Math.max(expectedCount, stored(connection, subject));
            JetStreamSubscription subscription = connection
                    .jetStream()
                    .subscribe(
                            subject,
                            PushSubscribeOptions.builder().stream(STREAM)
                                    .ordered(true)
                                    .build());
            List<ReceivedMessage> received = new ArrayList<>();
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < end) {
                Message next = subscription.nextMessage(Duration.ofMillis(100));
                if (next != null) {
                    received.add(received(next));
                } else if (received.size() >= expected) {
                    break;
                }
            }
            return received;
        });
    }

    /** Returns the number of messages that the stream has for this subject. */
    private static long stored(Connection connection, String subject) throws IOException, JetStreamApiException {
        StreamInfoOptions options =
                StreamInfoOptions.builder().filterSubjects(subject).build();
        return connection
                .jetStreamManagement()
                .getStreamInfo(STREAM, options)
                .getStreamState()
                .getSubjectMap()
                .getOrDefault(subject, 0L);
    }

    private static ReceivedMessage received(Message message) {
        Map<String, String> headers = new HashMap<>();
        message.getHeaders().forEach((name, values) -> headers.put(plain(name), plain(values.get(0))));
        byte[] body = message.getData() == null ? new byte[0] : message.getData();
        return new ReceivedMessage(String.valueOf(headers.get("aggregate-id")), headers, body);
    }

    private static String plain(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    }

    @Override
    public List<String> illegalTopics() {
        return List.of("");
    }
}

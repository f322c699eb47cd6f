package io.waybill.bench.contest;

import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PurgeOptions;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.api.StreamInfoOptions;
import io.waybill.Headers;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.DeliveryChecker;
import io.waybill.nats.NatsTransport;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/** NATS JetStream at {@code nats://host:port}: one stream, a subject for each run. */
record NatsBroker(String url) implements BenchBroker {
    private static final String STREAM = "waybill";
    private static final Duration SILENCE = Duration.ofSeconds(5);

    @Override
    public Transport transport() {
        return NatsTransport.to(url);
    }

    @Override
    public Sender sender(String topic) throws Exception {
        return new NatsSender(connect(), STREAM + "." + topic);
    }

    /** The default listener would log every flow control message. */
    private Connection connect() throws IOException, InterruptedException {
        return Nats.connect(Options.builder()
                .server(url)
                .errorListener(new ErrorListener() {})
                .build());
    }

    /** The transport's probe creates the stream. */
    @Override
    public Sink sink(String contestant) throws Exception {
        try (Transport transport = transport()) {
            transport.probe();
        }
        return new Subject(connect(), "bench-" + contestant + "-" + System.nanoTime());
    }

    private record Subject(Connection connection, String name) implements Sink {
        @Override
        public DeliveryCheck check(int events, boolean ordered) throws Exception {
            DeliveryChecker checker = new DeliveryChecker(events, ordered);
            long missing = connection
                    .jetStreamManagement()
                    .getStreamInfo(STREAM, StreamInfoOptions.filterSubjects(subject()))
                    .getStreamState()
                    .getSubjectMap()
                    .getOrDefault(subject(), 0L);
            JetStreamSubscription all = connection.jetStream().subscribe(subject(), ordered());
            for (Message next = all.nextMessage(SILENCE); next != null; next = all.nextMessage(SILENCE)) {
                checker.see(next.getHeaders().getFirst(Headers.AGGREGATE_ID), text(next));
                if (--missing <= 0) {
                    break;
                }
            }
            all.unsubscribe();
            return checker.verdict();
        }

        @Override
        public Following follow(Consumer<String> received) throws IOException, JetStreamApiException {
            Dispatcher dispatcher = connection.createDispatcher();
            connection
                    .jetStream()
                    .subscribe(subject(), dispatcher, message -> received.accept(text(message)), false, ordered());
            return () -> connection.closeDispatcher(dispatcher);
        }

        private String subject() {
            return STREAM + "." + name;
        }

        private static PushSubscribeOptions ordered() {
            return PushSubscribeOptions.builder().stream(STREAM).ordered(true).build();
        }

        private static String text(Message message) {
            return new String(message.getData(), StandardCharsets.ISO_8859_1);
        }

        @Override
        public void close() {
            try {
                connection.jetStreamManagement().purgeStream(STREAM, PurgeOptions.subject(subject()));
                connection.close();
            } catch (IOException | JetStreamApiException e) {
                throw new IllegalStateException("Cannot clean up subject " + subject() + ": " + e, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

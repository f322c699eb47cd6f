package io.waybill.kafka;

import static java.util.Objects.requireNonNull;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import io.waybill.transport.support.Daemons;
import io.waybill.transport.support.InFlight;
import io.waybill.transport.support.PendingMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends events to Apache Kafka, acknowledged by all in-sync replicas.
 *
 * <p>A record has the topic and the headers of the message, and its key in UTF-8. The transport connects when the first message is
 * sent, so it can be built while Kafka is down, and it reconnects after every outage. Each result arrives within the send timeout.
 * After a timeout Kafka may still have stored the record; the retry then stores it twice.
 *
 * <p>Messages to a missing or forbidden topic fail as {@link Failure.Kind#DESTINATION}, because an operator can correct the topic
 * without changing the events. Messages to other topics are not affected.
 */
public final class KafkaTransport implements Transport {
    private static final AtomicInteger BUILT = new AtomicInteger();
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ProducerSettings settings;
    private final InFlight inFlight = new InFlight();
    private final ThreadPoolExecutor background = BackgroundThreads.pool();
    private final ScheduledExecutorService watch;
    private final ClusterAdmin cluster;
    private final ReplaceableProducer batchingProducer;
    private final ReplaceableProducer singleRecordProducer;
    private final ReplaceableProducer orderedProducer;
    private final RecordSender recordSender;
    private final OrderedSender orderedSender;
    private final BackgroundFlush flush;
    private volatile boolean closed;

    private KafkaTransport(ProducerSettings settings) {
        this.settings = settings;
        ApiVersionsProbe probe = new ApiVersionsProbe(settings.bootstrapServers(), settings.encrypts());
        cluster = new ClusterAdmin(settings, probe);
        batchingProducer = new ReplaceableProducer(settings, probe, background, settings::forProducer);
        singleRecordProducer = new ReplaceableProducer(settings, probe, background, settings::forSingleRecords);
        orderedProducer = new ReplaceableProducer(settings, probe, background, settings::forOrderedSends);
        SendTimeouts timeouts = settings.timeouts();
        TopicSizeLimits limits =
                new TopicSizeLimits(cluster, timeouts.topicLookup().dividedBy(2));
        TopicLookup topics = new TopicLookup(batchingProducer, cluster, limits, timeouts, background);
        SizeCheck sizes = new SizeCheck(settings, limits);
        recordSender = new RecordSender(
                settings.bootstrapServers(), batchingProducer, singleRecordProducer, topics, sizes, background);
        orderedSender = new OrderedSender(settings.bootstrapServers(), orderedProducer, topics, sizes, background);
        flush = BackgroundFlush.of(batchingProducer, orderedProducer);
        watch = Daemons.every(GRACE, "waybill-kafka-watch", this::failForgotten);
    }

    /** @param bootstrapServers {@code host:port}; separate several with commas */
    public static KafkaTransport to(String bootstrapServers) {
        return builder(bootstrapServers).build();
    }

    public static Builder builder(String bootstrapServers) {
        return new Builder(requireNonNull(bootstrapServers, "bootstrapServers"));
    }

    @Override
    public void send(Message message, Delivery delivery) {
        PendingRecord pending = new PendingRecord(message, delivery, inFlight);
        inFlight.add(pending);
        // Checked after the message was added: either this thread sees the flag, or close() sees the message.
        if (closed) {
            pending.failed(closedBefore());
            return;
        }
        recordSender.send(pending);
    }

    @Override
    public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        List<PendingRecord> records = closed ? List.of() : sendableInOrder(messages, deliveries);
        if (records.size() < 2) {
            send(messages.get(0), deliveries.get(0));
            return 1;
        }
        records.forEach(inFlight::add);
        if (closed) {
            records.forEach(pending -> pending.failed(closedBefore()));
        } else {
            orderedSender.send(records);
        }
        return records.size();
    }

    /** Returns the longest prefix of the messages that can be sent in order without waiting for each result. */
    private List<PendingRecord> sendableInOrder(List<Message> messages, List<Delivery> deliveries) {
        List<PendingRecord> records = new ArrayList<>();
        String topic = messages.get(0).topic();
        if (messages.size() < 2 || !orderedSender.isReady(topic)) {
            return records;
        }
        for (int i = 0; i < messages.size(); i++) {
            PendingRecord pending = new PendingRecord(messages.get(i), deliveries.get(i), inFlight);
            if (!pending.topic().equals(topic) || !orderedSender.fits(pending)) {
                break;
            }
            records.add(pending);
        }
        return records;
    }

    @Override
    public void flushSoon() {
        flush.request();
    }

    @Override
    public void probe() {
        // The probe has limits of its own; this one covers calls without a limit, such as a DNS lookup.
        Daemons.within(settings.timeouts().probe().plus(GRACE), "Asking " + this, () -> {
            cluster.probe();
            return true;
        });
    }

    /**
     * Returns what the cluster reports about itself and these topics.
     *
     * @throws io.waybill.WaybillException when the cluster does not answer
     */
    public KafkaDiagnosis diagnose(Collection<String> topics) {
        probe();
        return KafkaDiagnosis.of(
                cluster, List.copyOf(topics), settings.timeouts().probe());
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        inFlight.awaitNone(settings.timeouts().close());
        batchingProducer.close(Duration.ZERO);
        singleRecordProducer.close(Duration.ZERO);
        orderedProducer.close(Duration.ZERO);
        cluster.close();
        flush.close();
        watch.shutdownNow();
        background.shutdownNow();
        inFlight.failAll(closedBefore());
    }

    @Override
    public String toString() {
        return "Kafka at " + settings.bootstrapServers();
    }

    private Failure closedBefore() {
        return Failure.outage("The transport to " + this + " was closed before the event was acknowledged.");
    }

    private void failForgotten() {
        List<PendingMessage> forgotten =
                inFlight.olderThan(settings.timeouts().send().plus(GRACE));
        if (forgotten.isEmpty()) {
            return;
        }
        String why = "it did not report the result of " + forgotten.size() + " messages in time.";
        batchingProducer.retireCurrent(why);
        singleRecordProducer.retireCurrent(why);
        orderedProducer.retireCurrent(why);
        forgotten.forEach(pending -> pending.failed(Failure.outage(this + " did not accept " + pending.event()
                + ": there was no answer in time. The producer is replaced.")));
    }

    /** All settings are optional. */
    public static final class Builder {
        private final String bootstrapServers;
        private final Map<String, Object> user = new HashMap<>();
        private Duration sendTimeout = Duration.ofSeconds(15);

        private Builder(String bootstrapServers) {
            this.bootstrapServers = bootstrapServers;
        }

        /** Limit for the whole send, from the call to the result (default 15 s). */
        public Builder sendTimeout(Duration timeout) {
            sendTimeout = requireNonNull(timeout, "timeout");
            return this;
        }

        /** Sets a property of Kafka's producer, such as {@code compression.type}. {@link #build} rejects those that would break a guarantee. */
        public Builder setting(String name, Object value) {
            user.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        public Builder settings(Map<String, ?> settings) {
            settings.forEach(this::setting);
            return this;
        }

        public KafkaTransport build() {
            String clientId = "waybill-" + BUILT.incrementAndGet();
            return new KafkaTransport(
                    new ProducerSettings(bootstrapServers, new SendTimeouts(sendTimeout), clientId, user));
        }
    }
}

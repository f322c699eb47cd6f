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
 * <p>Topic and headers are the message's, the record's key is the message's key in UTF-8. Nothing is asked of the broker
 * before the first message, so a transport can be built while Kafka is down, and it outlives every outage. Each result
 * comes within the send timeout. When it is a time-out, Kafka may have the message all the same: sent again, it arrives
 * twice.
 *
 * <p>A topic that is missing or forbidden fails its own events only, as {@link Failure.Kind#TRANSIENT}, because an
 * operator can put it right without touching them.
 */
public final class KafkaTransport implements Transport {
    private static final AtomicInteger BUILT = new AtomicInteger();
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ProducerSettings settings;
    private final InFlight inFlight = new InFlight();
    private final ThreadPoolExecutor background = BackgroundThreads.background();
    private final ScheduledExecutorService watch;
    private final ClusterAdmin cluster;
    private final ReplaceableProducer batched;
    private final ReplaceableProducer alone;
    private final ReplaceableProducer inChains;
    private final RecordSender dispatch;
    private final OrderedSender chained;
    private final BackgroundFlush hurry;
    private volatile boolean closed;

    private KafkaTransport(ProducerSettings settings) {
        this.settings = settings;
        ApiVersionsProbe handshake = new ApiVersionsProbe(settings.bootstrapServers(), settings.encrypts());
        cluster = new ClusterAdmin(settings, handshake);
        batched = new ReplaceableProducer(settings, handshake, background, settings::forProducer);
        alone = new ReplaceableProducer(settings, handshake, background, settings::forLoneRecords);
        inChains = new ReplaceableProducer(settings, handshake, background, settings::forChains);
        SendTimeouts timing = settings.timing();
        TopicSizeLimits limits = new TopicSizeLimits(cluster, timing.look());
        TopicLookup topics = new TopicLookup(batched, limits, timing.refusal(), background);
        SizeCheck sizes = new SizeCheck(settings, limits);
        dispatch = new RecordSender(settings.bootstrapServers(), batched, alone, topics, sizes, background);
        chained = new OrderedSender(settings.bootstrapServers(), inChains, topics, sizes, background);
        hurry = BackgroundFlush.of(batched, inChains);
        watch = Daemons.every(GRACE, "waybill-kafka-watch", this::giveUpForgotten);
    }

    /** A transport with default settings to {@code host:port}; several of them with commas between. */
    public static KafkaTransport to(String bootstrapServers) {
        return builder(bootstrapServers).build();
    }

    public static Builder builder(String bootstrapServers) {
        return new Builder(requireNonNull(bootstrapServers, "bootstrapServers"));
    }

    @Override
    public void send(Message message, Delivery delivery) {
        PendingRecord sending = new PendingRecord(message, delivery, inFlight);
        inFlight.add(sending);
        // Asked after the message was added: either this thread sees the mark, or close() sees the message.
        if (closed) {
            sending.failed(closedBefore());
            return;
        }
        dispatch.send(sending);
    }

    @Override
    public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        List<PendingRecord> chain = closed ? List.of() : chain(messages, deliveries);
        if (chain.size() < 2) {
            send(messages.get(0), deliveries.get(0));
            return 1;
        }
        chain.forEach(inFlight::add);
        if (closed) {
            chain.forEach(sending -> sending.failed(closedBefore()));
        } else {
            chained.send(chain);
        }
        return chain.size();
    }

    /** The first messages, as far as they can go together. */
    private List<PendingRecord> chain(List<Message> messages, List<Delivery> deliveries) {
        List<PendingRecord> chain = new ArrayList<>();
        String topic = messages.get(0).topic();
        if (messages.size() < 2 || !chained.isReady(topic)) {
            return chain;
        }
        for (int i = 0; i < messages.size(); i++) {
            PendingRecord sending = new PendingRecord(messages.get(i), deliveries.get(i), inFlight);
            if (!sending.topic().equals(topic) || !chained.fits(sending)) {
                break;
            }
            chain.add(sending);
        }
        return chain;
    }

    @Override
    public void flushSoon() {
        hurry.up();
    }

    @Override
    public void probe() {
        // The probe has its own limits; this one is for what cannot be limited, such as looking a name up.
        Daemons.within(settings.timing().probe().plus(GRACE), "Asking " + this, () -> {
            cluster.probe();
            return true;
        });
    }

    /** What the cluster says about itself and these topics; throws as {@link #probe()} does when it does not answer. */
    public KafkaDiagnosis diagnose(Collection<String> topics) {
        probe();
        return KafkaDiagnosis.of(cluster, List.copyOf(topics), settings.timing().probe());
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        inFlight.awaitNone(settings.timing().close());
        batched.close(Duration.ZERO);
        alone.close(Duration.ZERO);
        inChains.close(Duration.ZERO);
        cluster.close();
        hurry.close();
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

    private void giveUpForgotten() {
        List<PendingMessage> forgotten =
                inFlight.olderThan(settings.timing().send().plus(GRACE));
        if (forgotten.isEmpty()) {
            return;
        }
        String why = "it did not say what became of " + forgotten.size() + " messages.";
        batched.retireCurrent(why);
        alone.retireCurrent(why);
        inChains.retireCurrent(why);
        forgotten.forEach(sending -> sending.failed(Failure.outage(
                this + " did not take " + sending.event() + ": there was no answer in time. The client is replaced.")));
    }

    /** Settings with their defaults; nothing has to be set. */
    public static final class Builder {
        private final String bootstrapServers;
        private final Map<String, Object> user = new HashMap<>();
        private Duration sendTimeout = Duration.ofSeconds(15);

        private Builder(String bootstrapServers) {
            this.bootstrapServers = bootstrapServers;
        }

        /** How long it may take until the result of a message is known, everything included; 15 seconds by default. */
        public Builder sendTimeout(Duration timeout) {
            sendTimeout = requireNonNull(timeout, "timeout");
            return this;
        }

        /** Any setting of Kafka's producer that breaks no promise of Waybill's, such as {@code compression.type}. */
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

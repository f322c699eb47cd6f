package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka producer that is replaced after an error that it cannot recover from: after some errors a producer rejects all records
 * forever, even if the cause is temporary. The producer starts only after Kafka has answered at one of its addresses.
 */
final class ReplaceableProducer {
    private static final Logger log = LoggerFactory.getLogger(ReplaceableProducer.class);

    private final ProducerSettings settings;
    private final ApiVersionsProbe probe;
    private final Executor background;
    private final Function<String, Map<String, Object>> settingsFor;
    private int started;
    private boolean closed;
    private volatile @Nullable Producer<byte[], byte[]> current;

    /** @param settingsFor returns the producer's settings for a client id */
    ReplaceableProducer(
            ProducerSettings settings,
            ApiVersionsProbe probe,
            Executor background,
            Function<String, Map<String, Object>> settingsFor) {
        this.settingsFor = settingsFor;
        this.settings = settings;
        this.probe = probe;
        this.background = background;
    }

    /** Returns the running producer, or null. Does not block. */
    @Nullable
    Producer<byte[], byte[]> current() {
        return current;
    }

    /**
     * Returns the producer and starts it if necessary. Blocks.
     *
     * @throws WaybillException when the producer cannot be started
     */
    Producer<byte[], byte[]> open() {
        Producer<byte[], byte[]> known = current;
        if (known != null) {
            return known;
        }
        Optional<String> problem = probe.problem(settings.timeouts().topicLookup());
        if (problem.isPresent()) {
            throw new WaybillException(problem.get());
        }
        return start();
    }

    private synchronized Producer<byte[], byte[]> start() {
        if (closed) {
            throw new WaybillException("This Kafka transport is closed. Build a new one.");
        }
        Producer<byte[], byte[]> producer = current;
        if (producer == null) {
            String name = settings.clientId() + (started == 0 ? "" : "-" + (started + 1));
            try {
                producer = new KafkaProducer<>(settingsFor.apply(name));
            } catch (KafkaException e) {
                throw new WaybillException(cannotStart(settings, e), e);
            }
            started++;
            current = producer;
        }
        return producer;
    }

    void retireCurrent(String why) {
        Producer<byte[], byte[]> producer = current;
        if (producer != null) {
            retire(producer, why);
        }
    }

    /** Closes a producer in the background; its records in flight fail. Only the first call for a producer has an effect. */
    void retire(Producer<byte[], byte[]> producer, String why) {
        synchronized (this) {
            if (current != producer) {
                return;
            }
            current = null;
        }
        log.warn("Replacing the Kafka producer for {}: {}", settings.bootstrapServers(), LogText.oneLine(why));
        background.execute(() -> producer.close(Duration.ZERO));
    }

    /**
     * Closes a producer on the calling thread, so that it sends no further record. Call it on the producer's network thread, which does not
     * wait for itself.
     *
     * @return whether this was the first call for the producer
     */
    boolean abort(Producer<byte[], byte[]> producer, String why) {
        synchronized (this) {
            if (current != producer) {
                return false;
            }
            current = null;
        }
        log.info(
                "Replacing the Kafka producer for ordered sends to {}: {}",
                settings.bootstrapServers(),
                LogText.oneLine(why));
        producer.close(Duration.ZERO);
        return true;
    }

    void close(Duration limit) {
        Producer<byte[], byte[]> last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.close(limit);
        }
    }

    static String cannotStart(ProducerSettings settings, KafkaException error) {
        Throwable cause = error; // the outer exceptions only say that construction failed
        while (cause.getCause() instanceof KafkaException inner) {
            cause = inner;
        }
        return "Cannot start a Kafka client for " + settings.bootstrapServers() + ": " + KafkaError.describe(cause)
                + " Correct its settings.";
    }
}

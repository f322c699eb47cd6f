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
 * Kafka's client for sending, one at a time. Some errors leave a client that refuses everything for ever, though the
 * cause may be gone a minute later; then it is replaced. It starts when Kafka was seen at its address, not before.
 */
final class ReplaceableProducer {
    private static final Logger log = LoggerFactory.getLogger(ReplaceableProducer.class);

    private final ProducerSettings settings;
    private final ApiVersionsProbe handshake;
    private final Executor background;
    private final Function<String, Map<String, Object>> settingsFor;
    private int started;
    private boolean closed;
    private volatile @Nullable Producer<byte[], byte[]> current;

    /** {@code settingsFor} makes the client's settings from its name. */
    ReplaceableProducer(
            ProducerSettings settings,
            ApiVersionsProbe handshake,
            Executor background,
            Function<String, Map<String, Object>> settingsFor) {
        this.settingsFor = settingsFor;
        this.settings = settings;
        this.handshake = handshake;
        this.background = background;
    }

    /** The client, if there is one. Does not block. */
    @Nullable
    Producer<byte[], byte[]> current() {
        return current;
    }

    /** The client, started if there is none; throws a {@code WaybillException} that says why it cannot be. Blocks. */
    Producer<byte[], byte[]> open() {
        Producer<byte[], byte[]> known = current;
        if (known != null) {
            return known;
        }
        Optional<String> problem = handshake.problem(settings.timing().look());
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

    /** Gives the client up, whichever it is. */
    void retireCurrent(String why) {
        Producer<byte[], byte[]> producer = current;
        if (producer != null) {
            retire(producer, why);
        }
    }

    /** Gives a client up; what it has in flight fails. Of the many messages that report one broken client, the first acts. */
    void retire(Producer<byte[], byte[]> producer, String why) {
        synchronized (this) {
            if (current != producer) {
                return;
            }
            current = null;
        }
        log.warn("The Kafka client for {} is replaced: {}", settings.bootstrapServers(), LogText.oneLine(why));
        background.execute(() -> producer.close(Duration.ZERO));
    }

    /**
     * Gives a client up and closes it on the calling thread, so that nothing more leaves it. Meant for the client's own network
     * thread, which does not wait for itself.
     *
     * @return whether this call was the first to do so
     */
    boolean abort(Producer<byte[], byte[]> producer, String why) {
        synchronized (this) {
            if (current != producer) {
                return false;
            }
            current = null;
        }
        log.info(
                "The Kafka client for chains to {} is replaced: {}", settings.bootstrapServers(), LogText.oneLine(why));
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
        Throwable cause = error; // the outer ones only say that something could not be created
        while (cause.getCause() instanceof KafkaException inner) {
            cause = inner;
        }
        return "Cannot start a Kafka client for " + settings.bootstrapServers() + ": " + KafkaError.describe(cause)
                + " Correct its settings.";
    }
}

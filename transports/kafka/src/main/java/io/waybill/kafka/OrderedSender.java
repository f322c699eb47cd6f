package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * Sends several records of one key without waiting for the result of each.
 *
 * <p>Kafka's producer preserves the order of retried records, but when a record fails permanently, later records overtake it.
 * Therefore this producer has one request in flight, so at most one batch per partition is in flight. The first failure closes
 * the producer at once, on its own network thread: the callback runs before the producer selects the next batch. All other
 * records in the producer are abandoned, and the relay sends them again one by one. The failed event is sent again alone as well,
 * and {@link RecordSender} determines the cause of its failure.
 */
final class OrderedSender {
    private final String broker;
    private final ReplaceableProducer producers;
    private final TopicLookup topics;
    private final SizeCheck sizes;
    private final Executor background;
    private final AtomicBoolean opening = new AtomicBoolean();

    OrderedSender(
            String broker, ReplaceableProducer producers, TopicLookup topics, SizeCheck sizes, Executor background) {
        this.broker = broker;
        this.producers = producers;
        this.topics = topics;
        this.sizes = sizes;
        this.background = background;
    }

    /** Returns whether the topic is known and the producer is open. If the producer is not open, opens it in the background. */
    boolean isReady(String topic) {
        TopicLookup.Answer known = topics.cached(topic);
        if (known == null || !known.present()) {
            return false;
        }
        if (producers.current() == null) {
            open(topic);
            return false;
        }
        return true;
    }

    /** Returns whether the record is small enough to share a batch with others. */
    boolean fits(PendingRecord pending) {
        return !sizes.needsSpecialHandling(pending.topic(), RecordSize.of(pending.record()));
    }

    void send(List<PendingRecord> records) {
        Producer<byte[], byte[]> producer = producers.current();
        Thread sender = Thread.currentThread();
        boolean broken = producer == null;
        for (PendingRecord pending : records) {
            if (broken || producer == null) {
                abandon(pending, "An earlier record of its key failed.");
                continue;
            }
            try {
                Future<RecordMetadata> unused = producer.send(pending.record(), (metadata, error) -> {
                    if (error == null) {
                        pending.acknowledged();
                    } else if (Thread.currentThread() == sender) {
                        refused(pending, error); // the producer has not queued the record
                    } else {
                        failed(pending, producer, error);
                    }
                });
            } catch (RuntimeException error) {
                refused(pending, error);
            }
            broken = pending.hasFailed();
        }
    }

    /** Runs on the producer's network thread. */
    private void failed(PendingRecord pending, Producer<byte[], byte[]> producer, Exception error) {
        boolean first = producers.abort(producer, KafkaError.describe(error));
        if (first) {
            refused(pending, error);
        } else {
            abandon(pending, "The producer was closed because another record failed.");
        }
    }

    /**
     * Reports an outage, because an outage does not depend on the record. After any other error, the record is abandoned, and the
     * relay sends it again alone.
     */
    private void refused(PendingRecord pending, Exception error) {
        KafkaError kafkaError = KafkaError.of(error);
        if (kafkaError.kind() == Kind.OUTAGE && !kafkaError.clientUnusable()) {
            pending.failed(kafkaError.failure(pending.event(), broker, error));
        } else {
            abandon(pending, KafkaError.describe(error));
        }
    }

    private void abandon(PendingRecord pending, String why) {
        pending.failed(Failure.abandoned("Kafka at " + broker + " did not accept " + pending.event()
                + " in an ordered send: " + why + " The relay sends it alone."));
    }

    /** Opens the producer in the background. Until it is open, messages are sent one by one. */
    private void open(String topic) {
        if (!opening.compareAndSet(false, true)) {
            return;
        }
        try {
            background.execute(() -> {
                try {
                    producers.open().partitionsFor(topic);
                } catch (WaybillException | KafkaException unreachable) {
                    // The next single record reports the error.
                } finally {
                    opening.set(false);
                }
            });
        } catch (RejectedExecutionException closed) {
            opening.set(false);
        }
    }
}

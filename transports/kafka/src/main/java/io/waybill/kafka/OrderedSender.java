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
 * Sends several messages of one key without waiting for each.
 *
 * <p>Kafka's client keeps the order of what it retries, but a record that fails for good is passed by those behind it. So this
 * client has one request in flight, which also means one batch of each partition, and the first failure closes it at once,
 * on the client's own network thread: the callback runs before the client looks for the next batch to send. Whatever stood behind the
 * failed record, or shared the client with it, is abandoned and sent again one by one. Nothing is decided here
 * about an event: the ordinary way finds out which one was at fault.
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

    /** Whether messages to the topic can be chained; if not yet, they can be soon. */
    boolean isReady(String topic) {
        TopicLookup.Answer known = topics.known(topic);
        if (known == null || !known.present()) {
            return false;
        }
        if (producers.current() == null) {
            open(topic);
            return false;
        }
        return true;
    }

    /** Whether the message is of a size that one would not want others to suffer from. */
    boolean fits(PendingRecord sending) {
        return !sizes.needsSpecialHandling(sending.topic(), RecordSize.of(sending.record()));
    }

    void send(List<PendingRecord> chain) {
        Producer<byte[], byte[]> producer = producers.current();
        Thread sender = Thread.currentThread();
        boolean broken = producer == null;
        for (PendingRecord sending : chain) {
            if (broken || producer == null) {
                abandon(sending, "One before it failed.");
                continue;
            }
            try {
                Future<RecordMetadata> unused = producer.send(sending.record(), (metadata, error) -> {
                    if (error == null) {
                        sending.acknowledged();
                    } else if (Thread.currentThread() == sender) {
                        refused(sending, error); // before it stood in any line
                    } else {
                        failed(sending, producer, error);
                    }
                });
            } catch (RuntimeException error) {
                refused(sending, error);
            }
            broken = sending.hasFailed();
        }
    }

    /** On the client's network thread. */
    private void failed(PendingRecord sending, Producer<byte[], byte[]> producer, Exception error) {
        boolean first = producers.abort(producer, KafkaError.describe(error));
        if (first) {
            refused(sending, error);
        } else {
            abandon(sending, "The client was closed because another one failed.");
        }
    }

    /** Silence is the broker's, whichever message met it; what else there is to say the next attempt finds out. */
    private void refused(PendingRecord sending, Exception error) {
        KafkaError refusal = KafkaError.of(error);
        if (refusal.kind() == Kind.OUTAGE && !refusal.clientUnusable()) {
            sending.failed(refusal.failure(sending.event(), broker, error));
        } else {
            abandon(sending, KafkaError.describe(error));
        }
    }

    private void abandon(PendingRecord sending, String why) {
        sending.failed(Failure.abandoned("Kafka at " + broker + " did not take " + sending.event() + " with others: "
                + why + " It is sent alone."));
    }

    /** Meanwhile messages go one by one. */
    private void open(String topic) {
        if (!opening.compareAndSet(false, true)) {
            return;
        }
        try {
            background.execute(() -> {
                try {
                    producers.open().partitionsFor(topic);
                } catch (WaybillException | KafkaException unreachable) {
                    // whoever sends next, one by one, is told
                } finally {
                    opening.set(false);
                }
            });
        } catch (RejectedExecutionException closed) {
            opening.set(false);
        }
    }
}

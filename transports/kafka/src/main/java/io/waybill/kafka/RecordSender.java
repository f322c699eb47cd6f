package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends single records: checks topic and size, passes the record to a producer, and translates the result. */
final class RecordSender {
    private final String broker;
    private final ReplaceableProducer batchingProducer;
    private final ReplaceableProducer singleRecordProducer;
    private final TopicLookup topics;
    private final SizeCheck sizes;
    private final Executor background;

    RecordSender(
            String broker,
            ReplaceableProducer batchingProducer,
            ReplaceableProducer singleRecordProducer,
            TopicLookup topics,
            SizeCheck sizes,
            Executor background) {
        this.broker = broker;
        this.batchingProducer = batchingProducer;
        this.singleRecordProducer = singleRecordProducer;
        this.topics = topics;
        this.sizes = sizes;
        this.background = background;
    }

    void send(PendingRecord pending) {
        RecordSize size = RecordSize.of(pending.record());
        SizedRecord sized = new SizedRecord(pending, pending.record(), size);
        TopicLookup.Answer known = topics.cached(pending.topic());
        Producer<byte[], byte[]> producer = batchingProducer.current();
        boolean ready = known != null && known.served() && producer != null;
        if (ready && !sizes.needsSpecialHandling(pending.topic(), size)) {
            submit(sized, batchingProducer, producer);
        } else {
            sendChecked(sized, known);
        }
    }

    private void sendChecked(SizedRecord sized, TopicLookup.@Nullable Answer known) {
        PendingRecord pending = sized.pending();
        RecordSize size = sized.size();
        String invalid = TopicNameRules.problem(pending.topic()).orElse(null);
        if (invalid != null) {
            pending.failed(Failure.permanent("Kafka cannot accept " + pending.event() + ": its topic name is invalid: "
                    + invalid + ". Correct the event's topic."));
            return;
        }
        if (sizes.exceedsClient(size)) {
            pending.failed(sizes.tooLargeForClient(pending.event(), size));
            return;
        }
        if (known == null || (known.present() && batchingProducer.current() == null)) {
            topics.lookUp(pending.topic(), answer -> afterLookUp(sized, answer));
        } else if (!known.present()) {
            failTopic(pending, known);
        } else if (!known.served() || sizes.mustBeSentAlone(pending.topic(), size)) {
            inBackground(pending, () -> sendAlone(sized));
        } else {
            submit(sized, batchingProducer, batchingProducer.current());
        }
    }

    private record SizedRecord(PendingRecord pending, ProducerRecord<byte[], byte[]> record, RecordSize size) {}

    private void afterLookUp(SizedRecord sized, TopicLookup.Answer answer) {
        PendingRecord pending = sized.pending();
        if (pending.isCompleted()) {
            return; // the transport was closed, or the record timed out
        }
        if (!answer.present()) {
            failTopic(pending, answer);
        } else if (!answer.served() || sizes.mustBeSentAlone(pending.topic(), sized.size())) {
            sendAlone(sized);
        } else {
            submit(sized, batchingProducer, batchingProducer.current());
        }
    }

    /** Blocks: reads the topic's size limit again, and starts the producer for single records if necessary. */
    private void sendAlone(SizedRecord sized) {
        PendingRecord pending = sized.pending();
        if (sizes.exceedsTopic(pending.topic(), sized.size())) {
            pending.failed(sizes.tooLargeForTopic(pending.topic(), pending.event(), sized.size()));
            return;
        }
        try {
            submit(sized, singleRecordProducer, singleRecordProducer.open());
        } catch (WaybillException unreachable) {
            pending.failed(Failure.outage(
                    "Kafka at " + broker + " did not accept " + pending.event() + ": " + unreachable.getMessage()));
        }
    }

    private void submit(SizedRecord sized, ReplaceableProducer owner, @Nullable Producer<byte[], byte[]> producer) {
        if (producer == null) {
            sized.pending()
                    .failed(Failure.outage("Kafka at " + broker + " did not accept "
                            + sized.pending().event() + ": the producer is being replaced. The relay retries."));
            return;
        }
        try {
            Future<RecordMetadata> unused = producer.send(sized.record(), (metadata, error) -> {
                if (error == null) {
                    sized.pending().acknowledged();
                } else {
                    failed(sized, owner, producer, error);
                }
            });
        } catch (RuntimeException error) {
            // The producer either throws or calls back, never both.
            failed(sized, owner, producer, error);
        }
    }

    private void failed(
            SizedRecord sized, ReplaceableProducer owner, Producer<byte[], byte[]> producer, Exception error) {
        PendingRecord pending = sized.pending();
        KafkaError kafkaError = KafkaError.of(error);
        if (kafkaError.clientUnusable()) {
            owner.retire(producer, KafkaError.describe(error));
        }
        if (kafkaError.kind() == Kind.TRANSIENT || kafkaError.kind() == Kind.DESTINATION) {
            topics.forget(pending.topic());
        } else if (kafkaError.kind() == Kind.OUTAGE && !(error instanceof BufferExhaustedException)) {
            // A producer without any broker drops its topic metadata. Its next send to each topic would block the
            // sending thread until the metadata is back, so all topics are looked up in the background first.
            topics.forgetAll();
        }
        Failure failure = kafkaError.failure(pending.event(), broker, error);
        if (error instanceof RecordTooLargeException) {
            inBackground(
                    pending,
                    () -> pending.failed(sizes.tooLargeForTopic(pending.topic(), pending.event(), sized.size())));
        } else if (kafkaError.kind() == Kind.OUTAGE && isTimeout(error)) {
            // A deleted topic causes the same timeout as an unreachable broker, but only an unreachable broker is an
            // outage that stops other keys. So look the topic up before reporting the failure.
            topics.lookUp(pending.topic(), answer -> {
                if (answer.refusal() == Kind.TRANSIENT || answer.refusal() == Kind.DESTINATION) {
                    failTopic(pending, answer);
                } else {
                    pending.failed(failure);
                }
            });
        } else {
            pending.failed(failure);
        }
    }

    private static boolean isTimeout(Exception error) {
        return error instanceof TimeoutException && !(error instanceof BufferExhaustedException);
    }

    private void failTopic(PendingRecord pending, TopicLookup.Answer answer) {
        Kind kind = answer.refusal() == null ? Kind.TRANSIENT : answer.refusal();
        pending.failed(new Failure(
                kind, "Kafka at " + broker + " did not accept " + pending.event() + ": " + answer.reason()));
    }

    private void inBackground(PendingRecord pending, Runnable work) {
        try {
            background.execute(work);
        } catch (RejectedExecutionException closed) {
            pending.failed(Failure.outage("The Kafka transport was closed before " + pending.event() + " was sent."));
        }
    }
}

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

/** The way of one message to Kafka: checked, sent, and its result put into words. */
final class RecordSender {
    private final String broker;
    private final ReplaceableProducer batched;
    private final ReplaceableProducer alone;
    private final TopicLookup topics;
    private final SizeCheck sizes;
    private final Executor background;

    RecordSender(
            String broker,
            ReplaceableProducer batched,
            ReplaceableProducer alone,
            TopicLookup topics,
            SizeCheck sizes,
            Executor background) {
        this.broker = broker;
        this.batched = batched;
        this.alone = alone;
        this.topics = topics;
        this.sizes = sizes;
        this.background = background;
    }

    void send(PendingRecord sending) {
        RecordSize size = RecordSize.of(sending.record());
        Parcel parcel = new Parcel(sending, sending.record(), size);
        TopicLookup.Answer known = topics.known(sending.topic());
        Producer<byte[], byte[]> producer = batched.current();
        boolean ready = known != null && known.present() && producer != null;
        if (ready && !sizes.needsSpecialHandling(sending.topic(), size)) {
            submit(parcel, batched, producer);
        } else {
            sendChecked(parcel, known);
        }
    }

    private void sendChecked(Parcel parcel, TopicLookup.@Nullable Answer known) {
        PendingRecord sending = parcel.sending();
        RecordSize size = parcel.size();
        String illegal = TopicNameRules.problem(sending.topic()).orElse(null);
        if (illegal != null) {
            sending.failed(Failure.permanent("Kafka cannot take " + sending.event() + ", its topic is illegal: "
                    + illegal + ". Correct the event's topic."));
            return;
        }
        if (sizes.exceedsClient(size)) {
            sending.failed(sizes.tooLargeForClient(sending.event(), size));
            return;
        }
        if (known == null || (known.present() && batched.current() == null)) {
            topics.look(sending.topic(), answer -> afterLook(parcel, answer));
        } else if (!known.present()) {
            refuse(sending, known);
        } else if (sizes.mustBeSentAlone(sending.topic(), size)) {
            inBackground(sending, () -> sendAlone(parcel));
        } else {
            submit(parcel, batched, batched.current());
        }
    }

    /** A message that is ready to go. */
    private record Parcel(PendingRecord sending, ProducerRecord<byte[], byte[]> record, RecordSize size) {}

    private void afterLook(Parcel parcel, TopicLookup.Answer answer) {
        PendingRecord sending = parcel.sending();
        if (sending.isCompleted()) {
            return; // the transport was closed meanwhile, or the watch gave up
        }
        if (!answer.present()) {
            refuse(sending, answer);
        } else if (sizes.mustBeSentAlone(sending.topic(), parcel.size())) {
            sendAlone(parcel);
        } else {
            submit(parcel, batched, batched.current());
        }
    }

    /** On a thread that may block: asks the topic's limit anew, and starts the second client when there is none. */
    private void sendAlone(Parcel parcel) {
        PendingRecord sending = parcel.sending();
        if (sizes.exceedsTopic(sending.topic(), parcel.size())) {
            sending.failed(sizes.tooLargeForTopic(sending.topic(), sending.event(), parcel.size()));
            return;
        }
        try {
            submit(parcel, alone, alone.open());
        } catch (WaybillException unreachable) {
            sending.failed(Failure.outage(
                    "Kafka at " + broker + " did not take " + sending.event() + ": " + unreachable.getMessage()));
        }
    }

    private void submit(Parcel parcel, ReplaceableProducer owner, @Nullable Producer<byte[], byte[]> producer) {
        if (producer == null) {
            parcel.sending()
                    .failed(Failure.outage("Kafka at " + broker + " did not take "
                            + parcel.sending().event() + ": the client is being replaced. It is sent again."));
            return;
        }
        try {
            Future<RecordMetadata> unused = producer.send(parcel.record(), (metadata, error) -> {
                if (error == null) {
                    parcel.sending().acknowledged();
                } else {
                    failed(parcel, owner, producer, error);
                }
            });
        } catch (RuntimeException error) {
            // What the client throws it does not report; what it reports it does not throw.
            failed(parcel, owner, producer, error);
        }
    }

    private void failed(Parcel parcel, ReplaceableProducer owner, Producer<byte[], byte[]> producer, Exception error) {
        PendingRecord sending = parcel.sending();
        KafkaError refusal = KafkaError.of(error);
        if (refusal.clientUnusable()) {
            owner.retire(producer, KafkaError.describe(error));
        }
        if (refusal.kind() == Kind.TRANSIENT || refusal.kind() == Kind.DESTINATION) {
            topics.forget(sending.topic());
        } else if (refusal.kind() == Kind.OUTAGE && !(error instanceof BufferExhaustedException)) {
            // A client that loses its last broker forgets every topic, and would wait for each anew on the thread that
            // sends, message by message.
            topics.forgetAll();
        }
        Failure failure = refusal.failure(sending.event(), broker, error);
        if (error instanceof RecordTooLargeException) {
            inBackground(
                    sending,
                    () -> sending.failed(sizes.tooLargeForTopic(sending.topic(), sending.event(), parcel.size())));
        } else if (refusal.kind() == Kind.OUTAGE && isSilence(error)) {
            // A topic that was deleted looks like a broker that is gone. Only the latter may stop the other keys.
            topics.look(sending.topic(), answer -> {
                if (answer.refusal() == Kind.TRANSIENT || answer.refusal() == Kind.DESTINATION) {
                    refuse(sending, answer);
                } else {
                    sending.failed(failure);
                }
            });
        } else {
            sending.failed(failure);
        }
    }

    private static boolean isSilence(Exception error) {
        return error instanceof TimeoutException && !(error instanceof BufferExhaustedException);
    }

    private void refuse(PendingRecord sending, TopicLookup.Answer answer) {
        Kind kind = answer.refusal() == null ? Kind.TRANSIENT : answer.refusal();
        sending.failed(
                new Failure(kind, "Kafka at " + broker + " did not take " + sending.event() + ": " + answer.reason()));
    }

    private void inBackground(PendingRecord sending, Runnable work) {
        try {
            background.execute(work);
        } catch (RejectedExecutionException closed) {
            sending.failed(Failure.outage("The Kafka transport was closed before " + sending.event() + " was sent."));
        }
    }
}

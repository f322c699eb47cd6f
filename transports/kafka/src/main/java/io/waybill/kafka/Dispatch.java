package io.waybill.kafka;

import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;

/** The way of one message to Kafka: checked, sent, and its result put into words. */
final class Dispatch {
    private final ProducerSettings settings;
    private final Producers producers;
    private final Topics topics;
    private final Limits limits;
    private final Executor background;

    Dispatch(ProducerSettings settings, Producers producers, Topics topics, Limits limits, Executor background) {
        this.settings = settings;
        this.producers = producers;
        this.topics = topics;
        this.limits = limits;
        this.background = background;
    }

    void send(Sending sending) {
        String illegal = TopicName.problem(sending.topic()).orElse(null);
        if (illegal != null) {
            sending.failed(Failure.permanent("Kafka cannot take " + sending.event() + ", its topic is illegal: "
                    + illegal + ". Correct the event's topic."));
            return;
        }
        ProducerRecord<byte[], byte[]> record = sending.record();
        RecordSize size = RecordSize.of(record);
        if (size.forClient() > settings.largestRecord()) {
            sending.failed(tooLarge(
                    sending,
                    size.forClient(),
                    "the relay's limit of " + settings.largestRecord() + " (max.request.size)",
                    "raise max.request.size of the relay and max.message.bytes of the topic"));
            return;
        }
        Topics.Answer known = topics.known(sending.topic());
        Producer<byte[], byte[]> producer = producers.current();
        if (known == null || (known.present() && producer == null)) {
            topics.look(sending.topic(), answer -> afterLook(sending, record, size, answer));
        } else if (producer == null || !known.present()) {
            refuse(sending, known);
        } else if (exceeds(size, limits.known(sending.topic()))) {
            inBackground(sending, () -> sendIfItFits(sending, record, size, producer));
        } else {
            submit(sending, record, size, producer);
        }
    }

    private void afterLook(
            Sending sending, ProducerRecord<byte[], byte[]> record, RecordSize size, Topics.Answer answer) {
        if (sending.isTold()) {
            return; // the transport was closed meanwhile, or the watch gave up
        }
        Producer<byte[], byte[]> producer = producers.current();
        if (!answer.present()) {
            refuse(sending, answer);
        } else if (producer == null) {
            sending.failed(Failure.outage("Kafka at " + settings.bootstrapServers() + " did not take " + sending.event()
                    + ": the client is being replaced. It is sent again."));
        } else {
            sendIfItFits(sending, record, size, producer);
        }
    }

    /** On a thread that may block. */
    private void sendIfItFits(
            Sending sending,
            ProducerRecord<byte[], byte[]> record,
            RecordSize size,
            Producer<byte[], byte[]> producer) {
        if (exceeds(size, limits.known(sending.topic())) && exceeds(size, limits.current(sending.topic()))) {
            sending.failed(tooLargeForTopic(sending, size));
        } else {
            submit(sending, record, size, producer);
        }
    }

    private void submit(
            Sending sending,
            ProducerRecord<byte[], byte[]> record,
            RecordSize size,
            Producer<byte[], byte[]> producer) {
        try {
            Future<RecordMetadata> unused = producer.send(record, (metadata, error) -> {
                if (error == null) {
                    sending.acknowledged();
                } else {
                    failed(sending, size, producer, error);
                }
            });
        } catch (RuntimeException error) {
            // What the client throws it does not report; what it reports it does not throw.
            failed(sending, size, producer, error);
        }
    }

    private void failed(Sending sending, RecordSize size, Producer<byte[], byte[]> producer, Exception error) {
        Refusal refusal = Refusal.of(error);
        if (refusal.clientLost()) {
            producers.retire(producer, Refusal.said(error));
        }
        if (refusal.kind() == Kind.TRANSIENT) {
            topics.forget(sending.topic());
        }
        Failure failure = refusal.failure(sending.event(), settings.bootstrapServers(), error);
        if (error instanceof RecordTooLargeException) {
            inBackground(sending, () -> sending.failed(tooLargeForTopic(sending, size)));
        } else if (refusal.kind() == Kind.OUTAGE && isSilence(error)) {
            // A topic that was deleted looks like a broker that is gone. Only the latter may stop the other keys.
            topics.look(sending.topic(), answer -> {
                if (answer.refusal() == Kind.TRANSIENT) {
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

    private void refuse(Sending sending, Topics.Answer answer) {
        Kind kind = answer.refusal() == null ? Kind.TRANSIENT : answer.refusal();
        sending.failed(new Failure(
                kind,
                "Kafka at " + settings.bootstrapServers() + " did not take " + sending.event() + ": "
                        + answer.reason()));
    }

    /** The broker's limit is for what arrives: compressed, a record may be far smaller, and only the broker can tell. */
    private boolean exceeds(RecordSize size, OptionalInt limit) {
        return !settings.compresses() && limit.isPresent() && size.forBroker() > limit.getAsInt();
    }

    private Failure tooLargeForTopic(Sending sending, RecordSize size) {
        OptionalInt limit = limits.current(sending.topic());
        return tooLarge(
                sending,
                size.forBroker(),
                "the topic's limit" + (limit.isPresent() ? " of " + limit.getAsInt() : "") + " (max.message.bytes)"
                        + (settings.compresses() ? ", even when compressed" : ""),
                "raise max.message.bytes of the topic");
    }

    private Failure tooLarge(Sending sending, int size, String limit, String remedy) {
        return Failure.permanent("Kafka at " + settings.bootstrapServers() + " cannot take " + sending.event()
                + ": it has " + size + " bytes, more than " + limit + ". Make the payload smaller, or " + remedy
                + ", and send it again.");
    }

    private void inBackground(Sending sending, Runnable work) {
        try {
            background.execute(work);
        } catch (RejectedExecutionException closed) {
            sending.failed(Failure.outage("The Kafka transport was closed before " + sending.event() + " was sent."));
        }
    }
}

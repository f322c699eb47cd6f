package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.transport.Failure.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.PartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which topics exist. Kafka's producer blocks the sending thread until an unknown topic appears or the time is up, so one
 * missing topic in a batch would delay the events of all other topics. Therefore each topic is looked up in the background once, and
 * records are sent directly only to topics that are known to exist. Messages that wait for the same topic share one lookup.
 */
final class TopicLookup {
    /**
     * The result of a lookup. The topic can be written to if {@code refusal} is null.
     *
     * @param served whether a broker serves each partition. Until then, only one request may be in flight; see
     *     {@link ClusterAdmin#awaitServed}
     */
    record Answer(@Nullable Kind refusal, String reason, boolean served, long at) {
        static Answer present(boolean served) {
            return new Answer(null, "", served, System.nanoTime());
        }

        static Answer refused(Kind why, String reason) {
            return new Answer(why, reason, false, System.nanoTime());
        }

        boolean present() {
            return refusal == null;
        }
    }

    private final ReplaceableProducer producers;
    private final ClusterAdmin cluster;
    private final TopicSizeLimits limits;
    private final SendTimeouts timeouts;
    private final Executor background;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, List<Consumer<Answer>>> waiting = new HashMap<>();

    TopicLookup(
            ReplaceableProducer producers,
            ClusterAdmin cluster,
            TopicSizeLimits limits,
            SendTimeouts timeouts,
            Executor background) {
        this.producers = producers;
        this.cluster = cluster;
        this.limits = limits;
        this.timeouts = timeouts;
        this.background = background;
    }

    /** Returns the cached answer; null if there is none, or if the topic was refused or not served too long ago. Does not block. */
    @Nullable
    Answer cached(String topic) {
        Answer answer = answers.get(topic);
        boolean outdated = answer != null
                && !answer.served()
                && System.nanoTime() - answer.at() > timeouts.missingTopicTtl().toNanos();
        return outdated ? null : answer;
    }

    /** Makes the next message to the topic look it up again. */
    void forget(String topic) {
        answers.remove(topic);
    }

    void forgetAll() {
        answers.clear();
    }

    /**
     * Looks the topic up, or joins a lookup in progress, and passes the answer to the receiver on another thread. Receivers are called in
     * the order of their calls. A message that is sent directly as soon as the answer is cached may overtake messages whose receivers
     * have not been called yet. It never has the same key as one of them, because the relay has one message of each key in flight here.
     */
    void lookUp(String topic, Consumer<Answer> receiver) {
        synchronized (waiting) {
            List<Consumer<Answer>> others = waiting.get(topic);
            if (others != null) {
                others.add(receiver);
                return;
            }
            waiting.put(topic, new ArrayList<>(List.of(receiver)));
        }
        try {
            background.execute(() -> runLookup(topic));
        } catch (RejectedExecutionException closed) {
            complete(topic, Answer.refused(Kind.OUTAGE, "This Kafka transport is closed."));
        }
    }

    private void runLookup(String topic) {
        Answer answer = Answer.refused(Kind.OUTAGE, "The lookup of the topic failed. See the relay's log.");
        try {
            answer = find(topic);
        } finally {
            // Also after an Error: later lookups of the topic would join this one and wait forever.
            complete(topic, answer);
        }
    }

    private void complete(String topic, Answer answer) {
        // An outage says nothing about the topic, so the cached answer stays valid.
        if (answer.refusal() != Kind.OUTAGE) {
            answers.put(topic, answer);
        }
        List<Consumer<Answer>> receivers;
        synchronized (waiting) {
            receivers = waiting.remove(topic);
        }
        if (receivers != null) {
            receivers.forEach(receiver -> receiver.accept(answer));
        }
    }

    private Answer find(String topic) {
        Producer<byte[], byte[]> producer;
        try {
            producer = producers.open();
        } catch (WaybillException unreachable) {
            return Answer.refused(Kind.OUTAGE, String.valueOf(unreachable.getMessage()));
        }
        List<PartitionInfo> partitions;
        try {
            // This request also creates the topic if the broker has auto.create.topics.enable.
            partitions = producer.partitionsFor(topic);
        } catch (RuntimeException e) {
            KafkaError error = KafkaError.of(e);
            if (error.clientUnusable()) {
                producers.retire(producer, KafkaError.describe(e));
            }
            return Answer.refused(error.kind(), KafkaError.describe(e) + " " + error.remedy());
        }
        boolean served = cluster.awaitServed(partitions, timeouts.topicLookup().dividedBy(2));
        if (!limits.isCached(topic)) {
            limits.current(topic);
        }
        return Answer.present(served);
    }
}

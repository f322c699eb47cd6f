package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.transport.Failure.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Which topics exist. Kafka's client waits for a topic that it does not know, on the thread of whoever sends, until it
 * appears or the time is up; with one missing topic in a batch the events of all others would stand behind it. So each
 * topic is looked at once on a thread of its own, and only known ones are sent to directly. Many messages that wait for
 * one topic share one look.
 */
final class TopicLookup {
    /** What a look found: no {@code refusal} means that the topic can be written to. */
    record Answer(@Nullable Kind refusal, String reason, long at) {
        boolean present() {
            return refusal == null;
        }
    }

    private final ReplaceableProducer producers;
    private final TopicSizeLimits limits;
    private final Duration refusalLasts;
    private final Executor lookouts;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, List<Consumer<Answer>>> waiting = new HashMap<>();

    TopicLookup(ReplaceableProducer producers, TopicSizeLimits limits, Duration refusalLasts, Executor lookouts) {
        this.producers = producers;
        this.limits = limits;
        this.refusalLasts = refusalLasts;
        this.lookouts = lookouts;
    }

    /** What is known without asking: present, or refused a moment ago. */
    @Nullable
    Answer known(String topic) {
        Answer answer = answers.get(topic);
        boolean outdated =
                answer != null && !answer.present() && System.nanoTime() - answer.at() > refusalLasts.toNanos();
        return outdated ? null : answer;
    }

    /** The next message looks again. */
    void forget(String topic) {
        answers.remove(topic);
    }

    void forgetAll() {
        answers.clear();
    }

    /**
     * Looks at the topic now, or joins a look that is under way, and tells the receiver on another thread. Receivers are
     * told in the order in which they came. A message that is sent directly, right after the answer is known, may pass
     * those that are still being told; it is never one of the same key, because the relay waits for each of a key.
     */
    void look(String topic, Consumer<Answer> receiver) {
        synchronized (waiting) {
            List<Consumer<Answer>> others = waiting.get(topic);
            if (others != null) {
                others.add(receiver);
                return;
            }
            waiting.put(topic, new ArrayList<>(List.of(receiver)));
        }
        try {
            lookouts.execute(() -> lookNow(topic));
        } catch (RejectedExecutionException closed) {
            tell(topic, new Answer(Kind.OUTAGE, "This Kafka transport is closed.", System.nanoTime()));
        }
    }

    private void lookNow(String topic) {
        Answer answer =
                new Answer(Kind.OUTAGE, "The look at the topic failed. See the relay's log.", System.nanoTime());
        try {
            answer = find(topic);
        } finally {
            // Even after an Error: a topic whose look never ends could never be looked at again.
            tell(topic, answer);
        }
    }

    private void tell(String topic, Answer answer) {
        // An outage says nothing about the topic: what was known of it stays.
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
            return new Answer(Kind.OUTAGE, String.valueOf(unreachable.getMessage()), System.nanoTime());
        }
        try {
            // Also makes a broker create the topic, if it creates topics at all.
            producer.partitionsFor(topic);
        } catch (RuntimeException e) {
            KafkaError refusal = KafkaError.of(e);
            if (refusal.clientUnusable()) {
                producers.retire(producer, KafkaError.describe(e));
            }
            return new Answer(refusal.kind(), KafkaError.describe(e) + " " + refusal.remedy(), System.nanoTime());
        }
        if (!limits.wasAsked(topic)) {
            limits.current(topic);
        }
        return new Answer(null, "", System.nanoTime());
    }
}

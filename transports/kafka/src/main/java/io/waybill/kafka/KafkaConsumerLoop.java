package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls Kafka on one thread, which owns Kafka's consumer: it passes records to the workers, commits the offsets of handled records and
 * takes part in rebalances. It waits for a handler only while a partition is being revoked, so the group does not exclude this consumer
 * when its handlers are slow or its database is down.
 */
final class KafkaConsumerLoop implements Runnable, ConsumerRebalanceListener {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaInbox.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int PAUSE_AT = 1_000;
    private static final int RESUME_AT = 200;
    private static final int BATCHES_PER_TURN = 50;
    private static final long COMMIT_INTERVAL_NANOS = 200_000_000L;

    private final ConsumerSettings settings;
    private final Inbox<?> inbox;
    private final ScheduledThreadPoolExecutor workers;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Map<TopicPartition, AssignedPartition> assigned = new HashMap<>();
    private Consumer<byte[], byte[]> consumer;
    private long commitAt;
    private volatile boolean failed;

    @SuppressWarnings("NullAway") // only the polling thread uses the consumer, and it creates the consumer first
    KafkaConsumerLoop(ConsumerSettings settings, Inbox<?> inbox) {
        this.settings = settings;
        this.inbox = inbox;
        this.workers = new ScheduledThreadPoolExecutor(
                settings.workers(), DaemonThreads.numbered("waybill-inbox-worker-" + inbox.group()));
        workers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.thread = DaemonThreads.create("waybill-inbox-poll-" + inbox.group(), this);
    }

    void start() {
        thread.start();
    }

    void stop() {
        stop.countDown();
        try {
            thread.join(settings.handOverLimit().plusSeconds(10).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        workers.shutdown();
    }

    boolean isRunning() {
        return thread.isAlive() && !stopping() && !hasFailed();
    }

    private boolean hasFailed() {
        return failed || inbox.hasFailed();
    }

    /** An error that ends any thread of the consumer ends the whole consumer, so that another one gets its partitions. */
    @Override
    public void run() {
        try {
            consume();
        } catch (Throwable e) {
            failed = true;
            LOG.error("The consumer of group {} has failed", inbox.group(), e);
        }
        if (hasFailed()) {
            LOG.error(
                    "The consumer of group {} at {} stops because of the error above. Start a new consumer, or restart the process.",
                    inbox.group(),
                    settings.bootstrapServers());
            workers.shutdown();
            inbox.close();
        }
    }

    private void consume() {
        boolean complained = false;
        while (!stopping() && !hasFailed()) {
            try (Consumer<byte[], byte[]> client = new KafkaConsumer<>(settings.forConsumer())) {
                consumer = client;
                client.subscribe(settings.topics(), this);
                while (!stopping() && !hasFailed()) {
                    pollOnce();
                    complained = false;
                }
                handOver(assigned.keySet());
            } catch (RuntimeException e) { // usually a KafkaException; no exception may end the thread
                if (!complained) {
                    complained = true;
                    LOG.warn(
                            "Group {} cannot read from {}: {} Retrying.",
                            inbox.group(),
                            settings.bootstrapServers(),
                            LogText.oneLine(e instanceof KafkaException ? e.getMessage() : e.toString()),
                            e instanceof KafkaException ? null : e);
                }
                dropAll();
                pause();
            }
        }
    }

    private boolean stopping() {
        return stop.getCount() == 0;
    }

    private void pause() {
        try {
            boolean stopped = stop.await(1, TimeUnit.SECONDS);
            LOG.debug("Stopped: {}", stopped);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stop.countDown();
        }
    }

    private void pollOnce() {
        limitFetching();
        ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
        for (TopicPartition partition : records.partitions()) {
            AssignedPartition ours = assigned.get(partition);
            if (ours != null) {
                ours.add(records.records(partition));
            }
        }
        assigned.values().forEach(partition -> {
            if (partition.schedule()) {
                submit(partition, Duration.ZERO);
            }
        });
        if (System.nanoTime() - commitAt >= 0) {
            commitAt = System.nanoTime() + COMMIT_INTERVAL_NANOS;
            commitProgress();
        }
    }

    /**
     * Pauses fetching from partitions that have many fetched records. While the inbox is paused, one fetched record is enough.
     */
    private void limitFetching() {
        boolean paused = inbox.paused();
        assigned.forEach((partition, ours) -> {
            if (ours.size() >= (paused ? 1 : PAUSE_AT)) {
                consumer.pause(List.of(partition));
            } else if (ours.size() <= RESUME_AT) {
                consumer.resume(List.of(partition));
            }
        });
    }

    private void submit(AssignedPartition partition, Duration delay) {
        try {
            Object unused = workers.schedule(() -> workOrFail(partition), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The consumer stopped before the next record was handled");
        }
    }

    /**
     * Fails the whole consumer after an error. The executor would not report the error, and no worker would handle the partition
     * any more.
     */
    private void workOrFail(AssignedPartition partition) {
        try {
            work(partition);
        } catch (Throwable e) {
            failed = true;
            LOG.error("A worker of group {} has failed", inbox.group(), e);
            partition.stopHandling();
        }
    }

    /** Partitions take turns: after a number of batches, a partition goes to the end of the workers' queue. */
    private void work(AssignedPartition partition) {
        for (int i = 0; i < BATCHES_PER_TURN; i++) {
            List<ConsumerRecord<byte[], byte[]>> records = partition.take(settings.batchSize());
            if (records.isEmpty()) {
                return;
            }
            try {
                if (records.size() == 1) {
                    inbox.handle(received(records.get(0)));
                } else {
                    inbox.handle(
                            records.stream().map(KafkaConsumerLoop::received).toList());
                }
                partition.handled(records.size());
            } catch (OutageException e) {
                partition.handled(e.decided());
                submit(partition, e.retryAfter());
                return;
            } catch (RuntimeException | Error e) {
                LOG.error("Group {} cannot handle {}; retrying in 1 s", inbox.group(), received(records.get(0)), e);
                partition.stopHandling();
                submit(partition, Duration.ofSeconds(1));
                return;
            }
        }
        submit(partition, Duration.ZERO);
    }

    private static ReceivedMessage received(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new LinkedHashMap<>();
        record.headers()
                .forEach(header ->
                        headers.put(header.key(), header.value() == null ? "" : new String(header.value(), UTF_8)));
        String key = record.key() == null ? null : new String(record.key(), UTF_8);
        byte[] value = record.value() == null ? new byte[0] : record.value();
        return new ReceivedMessage(record.topic(), record.partition(), record.offset(), key, value, headers);
    }

    private Map<TopicPartition, OffsetAndMetadata> progress(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach(partition -> {
            AssignedPartition ours = assigned.get(partition);
            if (ours != null) {
                ours.progress().ifPresent(offset -> offsets.put(partition, new OffsetAndMetadata(offset)));
            }
        });
        return offsets;
    }

    private void commitProgress() {
        Map<TopicPartition, OffsetAndMetadata> offsets = progress(assigned.keySet());
        if (!offsets.isEmpty()) {
            consumer.commitAsync(offsets, (done, error) -> {
                if (error == null) {
                    committed(done);
                } else {
                    LOG.debug("Cannot commit offsets of group {}; retrying with the next commit", inbox.group(), error);
                }
            });
        }
    }

    private void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> {
            AssignedPartition ours = assigned.get(partition);
            if (ours != null) {
                ours.committed(offset.offset());
            }
        });
    }

    /** Waits for the workers, commits the offsets and drops the partitions. A late worker cannot move an offset afterwards. */
    private void handOver(Collection<TopicPartition> partitions) {
        List<TopicPartition> leaving = List.copyOf(partitions);
        List<AssignedPartition> ours = leaving.stream()
                .map(assigned::get)
                .filter(java.util.Objects::nonNull)
                .toList();
        ours.forEach(AssignedPartition::revoke);
        long end = System.nanoTime() + settings.handOverLimit().toNanos();
        try {
            for (AssignedPartition partition : ours) {
                if (!partition.awaitNotHandling(Duration.ofNanos(end - System.nanoTime()))) {
                    LOG.warn(
                            "Group {} gives a partition up while a handler is still running; the new owner handles its event again",
                            inbox.group());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = progress(leaving);
        leaving.forEach(assigned::remove);
        if (!offsets.isEmpty()) {
            try {
                consumer.commitSync(offsets, Duration.ofSeconds(5));
            } catch (KafkaException e) {
                LOG.debug(
                        "Cannot commit the last offsets of group {}; their events are delivered again",
                        inbox.group(),
                        e);
            }
        }
    }

    private void dropAll() {
        assigned.values().forEach(AssignedPartition::revoke);
        assigned.clear();
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> assigned.put(partition, new AssignedPartition()));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        handOver(partitions);
    }

    /** Drops the partitions without waiting and without a commit, because other consumers already own them. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> {
            AssignedPartition lost = assigned.remove(partition);
            if (lost != null) {
                lost.revoke();
            }
        });
    }
}

package io.waybill.bench.contest;

import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.DeliveryChecker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A Kafka topic. */
public final class Topic implements Sink {
    private static final int PARTITIONS = 8;
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(20);

    private final String bootstrap;
    private final String name;
    private final Admin admin;
    private final List<TopicPartition> partitions;

    private Topic(String bootstrap, String name) {
        this.bootstrap = bootstrap;
        this.name = name;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "enable.metrics.push", false));
        this.partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList();
    }

    public static Topic create(BenchServers servers, String contestant)
            throws InterruptedException, ExecutionException {
        return create(servers.bootstrap(), contestant);
    }

    static Topic create(String bootstrap, String contestant) throws InterruptedException, ExecutionException {
        Topic topic = new Topic(bootstrap, "bench-" + contestant + "-" + System.nanoTime());
        topic.admin
                .createTopics(List.of(new NewTopic(topic.name, PARTITIONS, (short) 1)))
                .all()
                .get();
        return topic;
    }

    @Override
    public String name() {
        return name;
    }

    /** Returns the number of records. */
    public long records() throws InterruptedException, ExecutionException {
        return admin
                .listOffsets(
                        partitions.stream().collect(Collectors.toMap(Function.identity(), p -> OffsetSpec.latest())))
                .all()
                .get()
                .values()
                .stream()
                .mapToLong(end -> end.offset())
                .sum();
    }

    /** Returns a consumer of all existing and future records. */
    public KafkaConsumer<String, String> consumer() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrap,
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "earliest",
                "max.poll.records",
                5_000,
                "enable.metrics.push",
                false);
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, new StringDeserializer(), latin());
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    /** Payloads are ASCII, which is faster to decode than UTF-8. */
    private static StringDeserializer latin() {
        StringDeserializer deserializer = new StringDeserializer();
        deserializer.configure(Map.of("deserializer.encoding", StandardCharsets.ISO_8859_1.name()), false);
        return deserializer;
    }

    @Override
    public DeliveryCheck check(int events, boolean ordered) throws InterruptedException, ExecutionException {
        DeliveryChecker checker = new DeliveryChecker(events, ordered);
        long missing = records();
        long deadline = System.nanoTime() + SILENCE_LIMIT.toNanos();
        try (KafkaConsumer<String, String> consumer = consumer()) {
            while (missing > 0 && System.nanoTime() - deadline < 0) {
                for (ConsumerRecord<String, String> found : consumer.poll(Duration.ofMillis(200))) {
                    checker.see(found.key(), found.value());
                    missing--;
                    deadline = System.nanoTime() + SILENCE_LIMIT.toNanos();
                }
            }
        }
        return checker.verdict();
    }

    @Override
    public Following follow(Consumer<String> received) {
        KafkaConsumer<String, String> consumer = consumer();
        consumer.poll(Duration.ofMillis(100)); // fetches the leaders of the partitions
        AtomicBoolean stopping = new AtomicBoolean();
        Thread reader = new Thread(
                () -> {
                    try (consumer) {
                        while (!stopping.get()) {
                            consumer.poll(Duration.ofMillis(100)).forEach(found -> received.accept(found.value()));
                        }
                    }
                },
                "arrivals");
        reader.start();
        return () -> {
            stopping.set(true);
            try {
                reader.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    @Override
    public void close() {
        admin.deleteTopics(List.of(name));
        admin.close();
    }
}

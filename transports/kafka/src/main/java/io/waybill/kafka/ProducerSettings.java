package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.internal.Spelling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Settings of Kafka's producer: Waybill's defaults, the user's settings, and those that the user cannot change. */
final class ProducerSettings {
    /** Settings that would break a guarantee or leave a send without a time limit, each with what to do instead. */
    private static final Map<String, String> FIXED = Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "the addresses are an argument of builder(). Set them there",
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "it follows from sendTimeout. Set that instead",
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "it follows from sendTimeout. Set that instead",
            ProducerConfig.MAX_BLOCK_MS_CONFIG, "it follows from sendTimeout. Set that instead",
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, "keys are sent as UTF-8. Remove it",
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, "the envelope produces the bytes. Configure that instead",
            ProducerConfig.TRANSACTIONAL_ID_CONFIG, "the relay settles events one by one. Remove it");

    private final String bootstrapServers;
    private final SendTimeouts timeouts;
    private final Map<String, Object> all;
    private final Map<String, Object> parsed;

    ProducerSettings(String bootstrapServers, SendTimeouts timeouts, String clientId, Map<String, Object> user) {
        BootstrapServers.parse(bootstrapServers);
        this.bootstrapServers = bootstrapServers;
        this.timeouts = timeouts;
        user.keySet().forEach(ProducerSettings::rejectUnknown);
        user.keySet().forEach(ProducerSettings::rejectFixed);
        all = new HashMap<>(defaults(clientId));
        all.putAll(user);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        try {
            parsed = ProducerConfig.configDef().parse(all);
        } catch (ConfigException e) {
            throw new WaybillException("Kafka's client does not accept its settings: " + e.getMessage(), e);
        }
        rejectUnsafe();
        setTimeouts();
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    SendTimeouts timeouts() {
        return timeouts;
    }

    String clientId() {
        return text(ProducerConfig.CLIENT_ID_CONFIG);
    }

    /** Returns the size of the largest record that the producer accepts. */
    int largestRecord() {
        long buffer = ((Number) value(ProducerConfig.BUFFER_MEMORY_CONFIG)).longValue();
        return (int) Math.min(number(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), buffer);
    }

    int batchSize() {
        return number(ProducerConfig.BATCH_SIZE_CONFIG);
    }

    boolean compresses() {
        return !text(ProducerConfig.COMPRESSION_TYPE_CONFIG).equals("none");
    }

    boolean encrypts() {
        return text("security.protocol").toUpperCase(Locale.ROOT).endsWith("SSL");
    }

    Map<String, Object> forProducer(String clientId) {
        Map<String, Object> settings = new HashMap<>(all);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        return settings;
    }

    /**
     * Settings of the producer for records that are sent alone. It has one request in flight, so that a rejected record leaves no gap in the
     * sequence numbers of later ones.
     */
    Map<String, Object> forSingleRecords(String clientId) {
        Map<String, Object> settings = forProducer(clientId + "-single");
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 0);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        return settings;
    }

    /** Settings of the producer of {@link OrderedSender}. */
    Map<String, Object> forOrderedSends(String clientId) {
        Map<String, Object> settings = forProducer(clientId + "-ordered");
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        return settings;
    }

    Map<String, Object> forAdmin() {
        Map<String, Object> settings = new HashMap<>(all);
        settings.keySet().removeIf(name -> !AdminClientConfig.configNames().contains(name) && !isProvider(name));
        int limit = (int) timeouts.probe().toMillis();
        settings.put(AdminClientConfig.CLIENT_ID_CONFIG, clientId() + "-admin");
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, limit);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, limit);
        return settings;
    }

    private static Map<String, Object> defaults(String clientId) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 128 * 1024);
        // A relay submits a batch within one or two milliseconds: this linger puts it into few requests and hardly
        // delays a single event.
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 2);
        // Client telemetry, which Waybill does not use.
        settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        return settings;
    }

    private static void rejectUnknown(String name) {
        Set<String> known = ProducerConfig.configNames();
        if (known.contains(name) || isProvider(name)) {
            return;
        }
        String guess = Spelling.closest(name, known)
                .map(closest -> " Did you mean " + closest + "?")
                .orElse(" See the producer configs in Kafka's documentation.");
        throw new WaybillException("Kafka's producer has no setting " + name + "." + guess);
    }

    private static void rejectFixed(String name) {
        String why = FIXED.get(name);
        if (why != null) {
            throw new WaybillException("The Kafka setting " + name + " cannot be set: " + why + ".");
        }
    }

    private static boolean isProvider(String name) {
        return name.startsWith("config.providers.");
    }

    private void rejectUnsafe() {
        Map<String, String> unsafe = new TreeMap<>();
        if (!List.of("all", "-1").contains(text(ProducerConfig.ACKS_CONFIG))) {
            unsafe.put(ProducerConfig.ACKS_CONFIG, "all, or an acknowledged event could be lost with one broker");
        }
        if (!value(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG).equals(true)) {
            unsafe.put(
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    "true, or the producer's retries could duplicate and reorder events");
        }
        if (number(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION) > 5) {
            unsafe.put(
                    ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "at most 5, or retries could reorder events");
        }
        if (number(ProducerConfig.RETRIES_CONFIG) < 1) {
            unsafe.put(
                    ProducerConfig.RETRIES_CONFIG,
                    "1 or more, or each change of a partition's leader would fail events");
        }
        if (value(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG).equals(true)) {
            unsafe.put(
                    ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
                    "false, or a key's events would spread over partitions and lose their order");
        }
        Object partitioner = parsed.get(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        if (partitioner instanceof Class<?> type && type.getSimpleName().equals("RoundRobinPartitioner")) {
            unsafe.put(
                    ProducerConfig.PARTITIONER_CLASS_CONFIG,
                    "one that uses the key, or a key's events would spread over partitions and lose their order");
        }
        List<String> sentences = new ArrayList<>();
        unsafe.forEach((name, must) ->
                sentences.add("The Kafka setting " + name + " is " + all.get(name) + " and must be " + must + "."));
        if (!sentences.isEmpty()) {
            throw new WaybillException(String.join(" ", sentences));
        }
    }

    /** Gives each stage of a send its own timeout. */
    private void setTimeouts() {
        Duration linger = Duration.ofMillis(((Number) value(ProducerConfig.LINGER_MS_CONFIG)).longValue());
        if (linger.compareTo(timeouts.deliver().dividedBy(2)) > 0) {
            throw new WaybillException("The Kafka setting linger.ms is " + linger.toMillis()
                    + " and leaves too little of the sendTimeout of " + timeouts.send()
                    + ". It may be a quarter of that at most.");
        }
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeouts.block().toMillis());
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int)
                timeouts.deliver().toMillis());
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int)
                timeouts.request(linger).toMillis());
    }

    private Object value(String name) {
        Object value = parsed.get(name);
        if (value == null) {
            throw new WaybillException("The Kafka setting " + name + " has no value. Give it one or remove it.");
        }
        return value;
    }

    private String text(String name) {
        return value(name).toString();
    }

    private int number(String name) {
        return ((Number) value(name)).intValue();
    }
}

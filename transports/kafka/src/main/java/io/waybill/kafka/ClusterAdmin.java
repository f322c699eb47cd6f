package io.waybill.kafka;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthenticationException;
import org.jspecify.annotations.Nullable;

/** Requests to the cluster that do not belong to one message. Each call blocks for a limited time. */
final class ClusterAdmin {
    private static final Duration CLOSE_LIMIT = Duration.ofMillis(500);

    private final ProducerSettings settings;
    private final ApiVersionsProbe probe;
    private @Nullable Admin admin;
    private boolean closed;

    ClusterAdmin(ProducerSettings settings, ApiVersionsProbe probe) {
        this.settings = settings;
        this.probe = probe;
    }

    void probe() {
        Duration half = settings.timeouts().probe().dividedBy(2);
        probe.problem(half).ifPresent(problem -> {
            throw new WaybillException(problem);
        });
        ask(half, client -> client.describeCluster().nodes());
    }

    /** Returns the settings of a topic or broker; empty when it does not exist or the relay's user may not read them. */
    Map<String, String> config(ConfigResource.Type type, String name, Duration limit) {
        ConfigResource resource = new ConfigResource(type, name);
        Config config;
        try {
            config = ask(
                    limit,
                    client -> client.describeConfigs(List.of(resource)).values().get(resource));
        } catch (WaybillException notAllowedOrNotThere) {
            return Map.of();
        }
        Map<String, String> values = new HashMap<>();
        config.entries().forEach(entry -> {
            if (entry.value() != null) {
                values.put(entry.name(), entry.value());
            }
        });
        return values;
    }

    /**
     * Returns whether a broker serves each of these partitions; waits at most this long. The brokers begin to serve the
     * partitions of a new topic one by one, after the topic appears in the metadata that clients read. Suppose that a partition
     * refuses the first request of an idempotent producer and accepts the second one. The partition then expects sequence numbers
     * after those of the second request, and refuses every retry of the first request until its records expire.
     */
    boolean awaitServed(Collection<PartitionInfo> partitions, Duration limit) {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        partitions.forEach(each -> ends.put(new TopicPartition(each.topic(), each.partition()), OffsetSpec.latest()));
        try {
            ask(limit, client -> client.listOffsets(ends).all()); // repeats the request until each partition answers
            return true;
        } catch (WaybillException e) {
            return !isTimeout(e.getCause()); // if the request is not permitted, the partitions are assumed to be served
        }
    }

    <T> T ask(Duration limit, Function<Admin, KafkaFuture<T>> request) {
        Admin client = admin();
        try {
            return request.apply(client).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            // The client may be busy with retries, or its network thread may be dead. The next request gets a new
            // client.
            drop(client);
            throw failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        }
    }

    void close() {
        Admin last;
        synchronized (this) {
            closed = true;
            last = admin;
            admin = null;
        }
        if (last != null) {
            last.close(CLOSE_LIMIT);
        }
    }

    private WaybillException failure(Throwable error) {
        String broker = "Kafka at " + settings.bootstrapServers();
        if (error instanceof AuthenticationException) {
            return new WaybillException(
                    broker + " rejects the login: " + KafkaError.describe(error)
                            + " Check security.protocol, the user, the password and the certificates.",
                    error);
        }
        if (isTimeout(error)) {
            return new WaybillException(
                    broker + " accepts connections but does not answer in time. Check that the addresses in its"
                            + " advertised.listeners can be reached from here, that security.protocol matches the"
                            + " listener, and that the broker is not overloaded.",
                    error);
        }
        return new WaybillException(
                broker + " rejects a request: " + KafkaError.describe(error) + " "
                        + KafkaError.of(error).remedy(),
                error);
    }

    private static boolean isTimeout(@Nullable Throwable error) {
        return error instanceof TimeoutException || error instanceof org.apache.kafka.common.errors.TimeoutException;
    }

    private synchronized Admin admin() {
        if (closed) {
            throw new WaybillException("This Kafka transport is closed. Build a new one.");
        }
        if (admin == null) {
            try {
                admin = Admin.create(settings.forAdmin());
            } catch (KafkaException e) {
                throw new WaybillException(ReplaceableProducer.cannotStart(settings, e), e);
            }
        }
        return admin;
    }

    private void drop(Admin client) {
        synchronized (this) {
            if (admin == client) {
                admin = null;
            }
        }
        client.close(Duration.ZERO);
    }
}

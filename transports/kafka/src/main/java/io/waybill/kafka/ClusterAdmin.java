package io.waybill.kafka;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthenticationException;
import org.jspecify.annotations.Nullable;

/** Questions to the cluster that are not about one message. Each call blocks, for a bounded time. */
final class ClusterAdmin {
    private static final Duration CLOSE_LIMIT = Duration.ofMillis(500);

    private final ProducerSettings settings;
    private final ApiVersionsProbe handshake;
    private @Nullable Admin admin;
    private boolean closed;

    ClusterAdmin(ProducerSettings settings, ApiVersionsProbe handshake) {
        this.settings = settings;
        this.handshake = handshake;
    }

    void probe() {
        Duration half = settings.timing().probe().dividedBy(2);
        handshake.problem(half).ifPresent(problem -> {
            throw new WaybillException(problem);
        });
        ask(half, client -> client.describeCluster().nodes());
    }

    /** The settings of a topic or broker by name; none when the relay's user may not read them. */
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

    <T> T ask(Duration limit, Function<Admin, KafkaFuture<T>> question) {
        Admin client = admin();
        try {
            return question.apply(client).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw refused(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            // It may be busy with its own retries, or dead; the next question gets a client that is neither.
            drop(client);
            throw refused(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(e);
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

    private WaybillException refused(Throwable error) {
        String broker = "Kafka at " + settings.bootstrapServers();
        if (error instanceof AuthenticationException) {
            return new WaybillException(
                    broker + " refuses the login: " + KafkaError.describe(error)
                            + " Check security.protocol, the user, the password and the certificates.",
                    error);
        }
        if (error instanceof TimeoutException || error instanceof org.apache.kafka.common.errors.TimeoutException) {
            return new WaybillException(
                    broker + " accepts connections but does not answer in time. See whether the addresses in its"
                            + " advertised.listeners can be reached from here, whether security.protocol is what it"
                            + " expects, and whether it is overloaded.",
                    error);
        }
        return new WaybillException(
                broker + " refuses a question: " + KafkaError.describe(error) + " "
                        + KafkaError.of(error).remedy(),
                error);
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

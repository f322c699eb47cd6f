package io.waybill.spring.internal.broker;

import static io.waybill.spring.internal.broker.ConnectionDetailsBeans.call;

import io.waybill.spring.internal.start.StartFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * How a client reaches Kafka. {@code waybill.kafka.bootstrap-servers} takes precedence over everything else. Without it, addresses
 * and security are those of Spring's own clients: a {@code KafkaConnectionDetails} bean (Testcontainers, Docker Compose) before {@code spring.kafka}.
 *
 * @param settings security, by Kafka's names
 */
record KafkaConnection(String servers, Map<String, String> settings) {
    /** Whether a property or a bean names a broker. */
    static boolean isKnown(Environment environment, ListableBeanFactory beans) {
        return !ownServers(environment).isEmpty()
                || SpringKafka.of(environment).namesServers()
                || details(beans).isPresent();
    }

    static KafkaConnection ofProducer(Environment environment, ListableBeanFactory beans, ResourceLoader files) {
        SpringKafka spring = SpringKafka.of(environment);
        return of(environment, beans, files, spring, spring.producer(), "getProducer");
    }

    static KafkaConnection ofConsumer(Environment environment, ListableBeanFactory beans, ResourceLoader files) {
        SpringKafka spring = SpringKafka.of(environment);
        return of(environment, beans, files, spring, spring.consumer(), "getConsumer");
    }

    private static KafkaConnection of(
            Environment environment,
            ListableBeanFactory beans,
            ResourceLoader files,
            SpringKafka spring,
            SpringKafka.Client client,
            String getter) {
        List<String> own = ownServers(environment);
        if (!own.isEmpty()) {
            return new KafkaConnection(String.join(",", own), Map.of());
        }
        List<String> servers = spring.servers(client);
        Map<String, String> settings = new LinkedHashMap<>(spring.settings(
                client, files, name -> beans.getBean(SslBundles.class).getBundle(name)));
        Optional<String> bean = details(beans);
        if (bean.isPresent()) {
            Object details = call(beans.getBean(bean.get()), getter);
            servers = servers(details);
            if (call(details, "getSslBundle") instanceof SslBundle bundle) {
                settings.putAll(PemSettings.of(bundle));
            }
            if (call(details, "getSecurityProtocol") instanceof String protocol && !protocol.isBlank()) {
                settings.put("security.protocol", protocol);
            }
        }
        if (servers.isEmpty()) {
            throw new StartFailure(
                    "waybill.transport is kafka, and no broker is named.",
                    "Set waybill.kafka.bootstrap-servers=host:port (or spring.kafka.bootstrap-servers). ./waybill up in a clone"
                            + " of Waybill runs a broker for trying things out.");
        }
        return new KafkaConnection(String.join(",", servers), settings);
    }

    private static List<String> ownServers(Environment environment) {
        return Binder.get(environment)
                .bind("waybill.kafka.bootstrap-servers", Bindable.listOf(String.class))
                .orElse(List.of());
    }

    private static Optional<String> details(ListableBeanFactory beans) {
        return ConnectionDetailsBeans.find(
                beans,
                "KafkaConnectionDetails",
                "org.springframework.boot.kafka.autoconfigure",
                "org.springframework.boot.autoconfigure.kafka");
    }

    private static List<String> servers(@Nullable Object details) {
        List<String> servers = new ArrayList<>();
        if (call(details, "getBootstrapServers") instanceof List<?> list) {
            list.forEach(server -> servers.add(String.valueOf(server)));
        }
        return servers;
    }
}

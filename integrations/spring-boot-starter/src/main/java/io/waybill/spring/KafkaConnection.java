package io.waybill.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * How a client reaches Kafka. {@code waybill.kafka.bootstrap-servers} stands alone; without it, everything is as for Spring's own
 * clients: a {@code KafkaConnectionDetails} bean (Testcontainers, Docker Compose) before {@code spring.kafka}.
 *
 * @param settings security, by Kafka's names
 */
record KafkaConnection(String servers, Map<String, String> settings) {
    private static final List<String> DETAILS = List.of(
            "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails",
            "org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails");

    /** Spring Boot's own bean repeats {@code spring.kafka}, and names localhost:9092 when that is empty. */
    private static final String FROM_PROPERTIES = "PropertiesKafkaConnectionDetails";

    /** Whether anything names a broker. */
    static boolean isKnown(Environment environment, ListableBeanFactory beans) {
        return !ours(environment).isEmpty()
                || SpringKafka.of(environment).namesServers()
                || !detailNames(beans).isEmpty();
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
        List<String> ours = ours(environment);
        if (!ours.isEmpty()) {
            return new KafkaConnection(String.join(",", ours), Map.of());
        }
        List<String> servers = spring.servers(client);
        Map<String, String> settings = new LinkedHashMap<>(spring.settings(
                client, files, name -> beans.getBean(SslBundles.class).getBundle(name)));
        List<String> names = detailNames(beans);
        if (!names.isEmpty()) {
            Object details = call(beans.getBean(names.get(0)), getter);
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

    private static List<String> ours(Environment environment) {
        return Binder.get(environment)
                .bind("waybill.kafka.bootstrap-servers", Bindable.listOf(String.class))
                .orElse(List.of());
    }

    private static List<String> detailNames(ListableBeanFactory beans) {
        List<String> names = new ArrayList<>();
        for (String type : DETAILS) {
            if (ClassUtils.isPresent(type, beans.getClass().getClassLoader())) {
                Class<?> details =
                        ClassUtils.resolveClassName(type, beans.getClass().getClassLoader());
                for (String name : beans.getBeanNamesForType(details, true, false)) {
                    Class<?> found = beans.getType(name, false);
                    if (found == null || !found.getSimpleName().equals(FROM_PROPERTIES)) {
                        names.add(name);
                    }
                }
            }
        }
        return names;
    }

    private static List<String> servers(@Nullable Object details) {
        List<String> servers = new ArrayList<>();
        if (call(details, "getBootstrapServers") instanceof List<?> list) {
            list.forEach(server -> servers.add(String.valueOf(server)));
        }
        return servers;
    }

    /** By reflection, because the two major versions of Spring Boot have the same methods in different packages. */
    private static @Nullable Object call(@Nullable Object target, String getter) {
        Method method = target == null ? null : ReflectionUtils.findMethod(target.getClass(), getter);
        if (method == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, target);
    }
}

package io.waybill.spring.internal.broker;

import io.waybill.spring.internal.start.StartFailure;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * The part of Spring Boot's {@code spring.kafka} that says how to connect. It is bound here because Spring Boot's own class
 * exists only in applications with Spring for Apache Kafka, and is in a different package in each major version of Spring Boot.
 */
record SpringKafka(
        @DefaultValue List<String> bootstrapServers,
        @DefaultValue Map<String, String> properties,
        @DefaultValue Ssl ssl,
        @DefaultValue Security security,
        @DefaultValue Client producer,
        @DefaultValue Client consumer) {

    /** Settings of one of the clients. */
    record Client(
            @DefaultValue List<String> bootstrapServers,
            @DefaultValue Map<String, String> properties,
            @DefaultValue Ssl ssl,
            @DefaultValue Security security) {}

    record Security(@Nullable String protocol) {}

    record Ssl(
            @Nullable String bundle,
            @Nullable String keyPassword,
            @Nullable String keyStoreCertificateChain,
            @Nullable String keyStoreKey,
            @Nullable String keyStoreLocation,
            @Nullable String keyStorePassword,
            @Nullable String keyStoreType,
            @Nullable String trustStoreCertificates,
            @Nullable String trustStoreLocation,
            @Nullable String trustStorePassword,
            @Nullable String trustStoreType,
            @Nullable String protocol) {

        private Map<String, String> settings(ResourceLoader files, Function<String, SslBundle> bundles) {
            if (bundle != null && !bundle.isBlank()) {
                return PemSettings.of(bundles.apply(bundle));
            }
            Map<String, String> settings = new LinkedHashMap<>();
            put(settings, "ssl.key.password", keyPassword);
            put(settings, "ssl.keystore.certificate.chain", keyStoreCertificateChain);
            put(settings, "ssl.keystore.key", keyStoreKey);
            put(settings, "ssl.keystore.location", path(files, "key-store-location", keyStoreLocation));
            put(settings, "ssl.keystore.password", keyStorePassword);
            put(settings, "ssl.keystore.type", keyStoreType);
            put(settings, "ssl.truststore.certificates", trustStoreCertificates);
            put(settings, "ssl.truststore.location", path(files, "trust-store-location", trustStoreLocation));
            put(settings, "ssl.truststore.password", trustStorePassword);
            put(settings, "ssl.truststore.type", trustStoreType);
            put(settings, "ssl.protocol", protocol);
            return settings;
        }

        private static @Nullable String path(ResourceLoader files, String name, @Nullable String location) {
            if (location == null) {
                return null;
            }
            try {
                return files.getResource(location).getFile().getAbsolutePath();
            } catch (IOException e) {
                throw new StartFailure(
                        "spring.kafka.ssl." + name + " is " + location + ", which is not a file: " + e.getMessage(),
                        "Kafka's client needs a file. Name one with file:/path, or use spring.kafka.ssl.bundle.");
            }
        }
    }

    static SpringKafka of(Environment environment) {
        return Binder.get(environment).bindOrCreate("spring.kafka", SpringKafka.class);
    }

    boolean namesServers() {
        return !bootstrapServers.isEmpty()
                || !producer.bootstrapServers().isEmpty()
                || !consumer.bootstrapServers().isEmpty();
    }

    List<String> servers(Client client) {
        return client.bootstrapServers().isEmpty() ? bootstrapServers : client.bootstrapServers();
    }

    /** Returns the security settings, by Kafka's names; the client's own ones take precedence. */
    Map<String, String> settings(Client client, ResourceLoader files, Function<String, SslBundle> bundles) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.putAll(ssl.settings(files, bundles));
        put(settings, "security.protocol", security.protocol());
        putSecurity(settings, properties);
        settings.putAll(client.ssl().settings(files, bundles));
        put(settings, "security.protocol", client.security().protocol());
        putSecurity(settings, client.properties());
        return settings;
    }

    /** Copies the security settings only: others, such as those of Spring's serializers, are not meant for Waybill's clients. */
    private static void putSecurity(Map<String, String> settings, Map<String, String> properties) {
        properties.forEach((name, value) -> {
            if (name.startsWith("ssl.") || name.startsWith("sasl.") || name.startsWith("security.")) {
                settings.put(name, value);
            }
        });
    }

    private static void put(Map<String, String> settings, String name, @Nullable String value) {
        if (value != null) {
            settings.put(name, value);
        }
    }
}

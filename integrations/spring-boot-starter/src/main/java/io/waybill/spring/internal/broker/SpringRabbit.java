package io.waybill.spring.internal.broker;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The part of Spring Boot's {@code spring.rabbitmq} that says how to connect. It is bound here because Spring Boot's own class
 * exists only in applications with Spring AMQP, and is in a different package in each major version of Spring Boot.
 */
record SpringRabbit(
        @Nullable String host,
        @Nullable Integer port,
        @Nullable String username,
        @Nullable String password,
        @Nullable String virtualHost,
        @DefaultValue List<String> addresses,
        @DefaultValue Ssl ssl) {

    record Ssl(
            @Nullable Boolean enabled,
            @Nullable String bundle,
            @Nullable String keyStore,
            @Nullable String trustStore) {
        boolean hasOwnStores() {
            return bundle != null || keyStore != null || trustStore != null;
        }
    }

    static SpringRabbit of(Environment environment) {
        return Binder.get(environment).bindOrCreate("spring.rabbitmq", SpringRabbit.class);
    }

    boolean namesNodes() {
        return host != null || !addresses.isEmpty();
    }

    /** Returns the connection that Spring Boot would use: user, virtual host and TLS of the first address take precedence. */
    RabbitConnection connection() {
        if (addresses.isEmpty()) {
            boolean tls = Boolean.TRUE.equals(ssl.enabled());
            String node = (host == null ? "localhost" : host) + (port == null ? "" : ":" + port);
            return new RabbitConnection(List.of(node), username, password, virtualHost, tls);
        }
        List<Address> all = addresses.stream().map(Address::parse).toList();
        Address first = all.get(0);
        List<String> nodes = new ArrayList<>();
        all.forEach(address -> nodes.add(address.node()));
        return new RabbitConnection(
                nodes,
                first.user() == null ? username : first.user(),
                first.password() == null ? password : first.password(),
                first.virtualHost() == null ? virtualHost : first.virtualHost(),
                first.tls() == null ? Boolean.TRUE.equals(ssl.enabled()) : first.tls());
    }

    /** One of {@code spring.rabbitmq.addresses}: {@code [amqp[s]://][user:password@]host[:port][/virtual-host]}. */
    private record Address(
            @Nullable Boolean tls,
            @Nullable String user,
            @Nullable String password,
            String node,
            @Nullable String virtualHost) {
        static Address parse(String text) {
            String rest = text.strip();
            Boolean tls = rest.startsWith("amqps://") ? Boolean.TRUE : rest.startsWith("amqp://") ? false : null;
            rest = tls == null ? rest : rest.substring(rest.indexOf("://") + 3);
            int at = rest.lastIndexOf('@');
            String login = at < 0 ? "" : rest.substring(0, at);
            rest = rest.substring(at + 1);
            int slash = rest.indexOf('/');
            int colon = login.indexOf(':');
            return new Address(
                    tls,
                    colon < 0 ? null : login.substring(0, colon),
                    colon < 0 ? null : login.substring(colon + 1),
                    slash < 0 ? rest : rest.substring(0, slash),
                    slash < 0 || slash == rest.length() - 1 ? null : rest.substring(slash + 1));
        }
    }
}

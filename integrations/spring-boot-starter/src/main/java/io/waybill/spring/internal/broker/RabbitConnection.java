package io.waybill.spring.internal.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.spring.internal.start.StartFailure;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * How a client reaches RabbitMQ. {@code waybill.rabbitmq.url} takes precedence over everything else. Without it, the connection is
 * that of Spring's own clients: a {@code RabbitConnectionDetails} bean (Testcontainers, Docker Compose) before {@code
 * spring.rabbitmq}.
 *
 * @param nodes {@code host} or {@code host:port}
 */
record RabbitConnection(
        List<String> nodes,
        @Nullable String user,
        @Nullable String password,
        @Nullable String virtualHost,
        boolean tls) {
    private static final String OURS = "waybill.rabbitmq.url";

    /** Whether a property or a bean names a broker. */
    static boolean isKnown(Environment environment, ListableBeanFactory beans) {
        return StringUtils.hasText(environment.getProperty(OURS))
                || SpringRabbit.of(environment).namesNodes()
                || details(beans).isPresent();
    }

    /** Returns the address as Waybill's transport takes it. */
    static String url(Environment environment, ListableBeanFactory beans) {
        String ours = environment.getProperty(OURS);
        if (StringUtils.hasText(ours)) {
            return ours;
        }
        SpringRabbit spring = SpringRabbit.of(environment);
        Optional<Object> details = details(beans).map(beans::getBean);
        if (details.isEmpty() && !spring.namesNodes()) {
            throw new StartFailure(
                    "waybill.transport is rabbitmq, and no broker is named.",
                    "Set waybill.rabbitmq.url=rabbitmq://user:password@host:port/vhost (or spring.rabbitmq.host).");
        }
        Object bundle = ConnectionDetailsBeans.call(details.orElse(null), "getSslBundle");
        if (bundle != null || (details.isEmpty() && spring.ssl().hasOwnStores())) {
            throw new StartFailure(
                    "spring.rabbitmq.ssl names certificates or keys, which Waybill's client of RabbitMQ cannot use.",
                    "Add the certificates to the trust store of the JVM (-Djavax.net.ssl.trustStore), and set"
                            + " waybill.rabbitmq.url=rabbitmqs://user:password@host:port/vhost.");
        }
        return details.map(RabbitConnection::of).orElseGet(spring::connection).url();
    }

    private static Optional<String> details(ListableBeanFactory beans) {
        return ConnectionDetailsBeans.find(
                beans,
                "RabbitConnectionDetails",
                "org.springframework.boot.amqp.autoconfigure",
                "org.springframework.boot.autoconfigure.amqp");
    }

    private static RabbitConnection of(Object details) {
        List<String> nodes = new ArrayList<>();
        if (ConnectionDetailsBeans.call(details, "getAddresses") instanceof List<?> addresses) {
            for (Object address : addresses) {
                nodes.add(ConnectionDetailsBeans.call(address, "host") + ":"
                        + ConnectionDetailsBeans.call(address, "port"));
            }
        }
        return new RabbitConnection(
                nodes,
                (String) ConnectionDetailsBeans.call(details, "getUsername"),
                (String) ConnectionDetailsBeans.call(details, "getPassword"),
                (String) ConnectionDetailsBeans.call(details, "getVirtualHost"),
                false);
    }

    String url() {
        String login = encoded(user == null ? "guest" : user) + ":" + encoded(password == null ? "guest" : password);
        return (tls ? "rabbitmqs://" : "rabbitmq://") + login + "@" + String.join(",", nodes)
                + (virtualHost == null ? "" : "/" + encoded(virtualHost));
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, UTF_8).replace("+", "%20");
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "RabbitMQ at " + String.join(",", nodes);
    }
}

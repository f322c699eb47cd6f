package io.waybill.examples.quality.security;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The addresses that this service will listen on, by setting. */
final class ListeningAddresses {
    private final Map<String, Optional<InetAddress>> addresses = new LinkedHashMap<>();

    ListeningAddresses(Environment environment) {
        Binder settings = Binder.get(environment);
        add(settings, "server.address");
        if (environment.containsProperty("management.server.port")) {
            add(settings, "management.server.address");
        }
    }

    private void add(Binder settings, String setting) {
        InetAddress address = settings.bind(setting, InetAddress.class).orElse(null);
        addresses.put(setting, Optional.ofNullable(address));
    }

    /** Fails unless all of them are loopback addresses. A server without an address listens on all interfaces. */
    void requireLoopback() {
        addresses.forEach((setting, address) -> {
            if (address.filter(InetAddress::isLoopbackAddress).isEmpty()) {
                throw new ExposedDemoUsersException(
                        setting, address.map(InetAddress::getHostAddress).orElse("not set"));
            }
        });
    }
}

package io.waybill.examples.logistics.access;

import io.waybill.examples.logistics.WrongSettingException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.core.env.Environment;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.stereotype.Component;

/** Users whose passwords are their names, so the service must not be reachable from other machines. */
@Component
class DemoUsers extends InMemoryUserDetailsManager {
    private static final UUID NORTH = UUID.fromString("00000000-0000-4000-8000-000000000001");
    private static final UUID SOUTH = UUID.fromString("00000000-0000-4000-8000-000000000002");

    DemoUsers(Environment environment) throws UnknownHostException {
        super(List.of(
                user("admin", Role.SUPER_ADMIN),
                user("finance", Role.FINANCE, NORTH),
                user("dispatcher", Role.DISPATCHER, NORTH),
                user("driver", Role.DRIVER, NORTH),
                user("auditor", Role.AUDITOR, NORTH, SOUTH),
                user("south", Role.DISPATCHER, SOUTH)));
        for (String setting : List.of("server.address", "management.server.address")) {
            String address = environment.getProperty(setting, "127.0.0.1");
            if (!InetAddress.getByName(address).isLoopbackAddress()) {
                throw new WrongSettingException(
                        "The passwords of the demo users are public, and " + setting + " is " + address + ".",
                        "Set it to 127.0.0.1, or replace DemoUsers with users of your own.");
            }
        }
    }

    private static UserDetails user(String name, Role role, UUID... tenants) {
        return User.withUsername(name)
                .password("{noop}" + name)
                .authorities(Stream.concat(
                                Stream.of(role.authority()), Stream.of(tenants).map(Tenants::authority))
                        .toArray(String[]::new))
                .build();
    }
}

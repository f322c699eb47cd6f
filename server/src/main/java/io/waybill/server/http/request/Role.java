package io.waybill.server.http.request;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The roles of users. Each contains the permissions of the one before. */
public enum Role {
    VIEWER(Permission.VIEW),
    OPERATOR(Permission.ACT),
    ADMIN(Permission.EDIT);

    private final Permission largest;

    /** @param largest the role has this permission and those before it */
    Role(Permission largest) {
        this.largest = largest;
    }

    public boolean grants(Permission permission) {
        return permission.compareTo(largest) <= 0;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the role with this label; empty if there is none. */
    public static Optional<Role> of(String label) {
        return Stream.of(values()).filter(role -> role.label().equals(label)).findFirst();
    }

    /** Returns the smallest role with this permission. */
    static Role with(Permission permission) {
        return Stream.of(values())
                .filter(role -> role.grants(permission))
                .findFirst()
                .orElseThrow();
    }
}

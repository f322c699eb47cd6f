package io.waybill.server.http.request;

import java.util.Optional;

/** Who may use a route. Every route declares one. */
public enum Access {
    /** Everybody, with or without a sign-in. */
    ANYONE,
    VIEW,
    PAYLOAD,
    ACT,
    EDIT;

    /** Returns the needed permission; empty for {@link #ANYONE}. */
    public Optional<Permission> permission() {
        return this == ANYONE ? Optional.empty() : Optional.of(Permission.valueOf(name()));
    }

    /** The smallest role that may use the route, or {@code anyone}. */
    public String role() {
        return permission().map(permission -> Role.with(permission).label()).orElse("anyone");
    }
}

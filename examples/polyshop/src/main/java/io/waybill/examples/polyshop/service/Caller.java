package io.waybill.examples.polyshop.service;

import java.util.Set;

/**
 * The sender of a request.
 *
 * @param id the subject of the token; empty without a token
 * @param session the id of the session that the token belongs to
 */
public record Caller(String id, Set<String> roles, String session) {
    public static final Caller ANONYMOUS = new Caller("", Set.of(), "");

    public Caller {
        roles = Set.copyOf(roles);
    }

    public boolean isAdmin() {
        return roles.contains("ADMIN");
    }
}

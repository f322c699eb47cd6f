package io.waybill.examples.logistics.access;

import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.Authentication;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** The tenant of a request, and of its transaction. */
@Component
public class Tenants {
    private final JdbcClient jdbc;

    Tenants(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Restricts the current transaction to the rows of the tenant. The database enforces it with row-level security. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void enter(UUID tenant) {
        jdbc.sql("SELECT set_config('app.current_tenant', ?, true)")
                .param(tenant.toString())
                .query(String.class)
                .single();
    }

    /** Throws an error with status 403 unless the user may act for the tenant. */
    public void require(Authentication user, UUID tenant) {
        boolean allowed = user.getAuthorities().stream()
                .map(authority -> String.valueOf(authority.getAuthority()))
                .anyMatch(name -> name.equals(Role.SUPER_ADMIN.authority()) || name.equals(authority(tenant)));
        if (!allowed) {
            throw new ResponseStatusException(HttpStatus.FORBIDDEN, "You may not act for this tenant.");
        }
    }

    static String authority(UUID tenant) {
        return "TENANT_" + tenant;
    }
}

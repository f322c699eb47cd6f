package io.waybill.examples.quality.security;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The role of a user; each demo user has the name of its role. */
enum Role {
    QUALITY,
    PROCUREMENT,
    AUDITOR,
    ADMIN;

    /** Returns the name in tokens. */
    String claim() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Role> of(@Nullable Object claim) {
        return Arrays.stream(values())
                .filter(role -> role.claim().equals(claim))
                .findFirst();
    }
}

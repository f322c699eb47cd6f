package io.waybill.examples.quality.security;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a user may do; each demo user has the name of its role. */
enum Role {
    QUALITY,
    PROCUREMENT,
    AUDITOR,
    ADMIN;

    /** As it stands in tokens. */
    String claim() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Role> of(@Nullable Object claim) {
        return Arrays.stream(values())
                .filter(role -> role.claim().equals(claim))
                .findFirst();
    }
}

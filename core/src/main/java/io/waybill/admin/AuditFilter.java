package io.waybill.admin;

import org.jspecify.annotations.Nullable;

/**
 * Selects operator actions. A component that is null matches every action.
 *
 * @param action the name of an action, for example {@code replay}
 * @param refused true for refused actions only, false for completed actions only
 */
public record AuditFilter(
        @Nullable String actor,
        @Nullable String action,
        @Nullable Boolean refused) {
    public static final AuditFilter ALL = new AuditFilter(null, null, null);
}

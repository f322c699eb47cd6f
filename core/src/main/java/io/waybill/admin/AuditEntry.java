package io.waybill.admin;

import java.time.Instant;

/**
 * One operator action.
 *
 * @param events number of changed events
 */
public record AuditEntry(long id, Instant at, String actor, String action, String reason, int events) {}

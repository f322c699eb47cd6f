package io.waybill.examples.quality.audit;

import java.time.Instant;
import java.util.Map;

/** An audit row as the API shows it. */
record AuditView(
        long id,
        String actor,
        String action,
        String entityType,
        long entityId,
        Map<String, String> metaJson,
        Instant createdAt) {}

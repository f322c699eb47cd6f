package io.waybill.examples.quality.nonconformities;

import java.time.Instant;

/** A non-conformity as the API shows it. */
record NonconformityView(
        long id, long supplierId, Severity severity, Status status, String description, Instant createdAt) {}

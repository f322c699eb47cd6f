package io.waybill.examples.quality.kpi;

/** How things stand, all at one moment. */
record Kpi(
        long ncOpen,
        long ncOpenHigh,
        long ncClosed,
        long outboxPending,
        long outboxFailed,
        long suppliersAtRisk,
        long auditEventsTotal) {}

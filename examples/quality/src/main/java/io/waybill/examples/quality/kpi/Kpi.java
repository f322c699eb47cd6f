package io.waybill.examples.quality.kpi;

/** Key figures, all of the same moment. */
record Kpi(
        long ncOpen,
        long ncOpenHigh,
        long ncClosed,
        long outboxPending,
        long outboxFailed,
        long suppliersAtRisk,
        long auditEventsTotal) {}

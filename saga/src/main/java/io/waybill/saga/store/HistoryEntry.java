package io.waybill.saga.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the append-only history of a saga.
 *
 * @param step null if the entry concerns the whole saga
 * @param attempt 0 if the entry concerns no attempt
 */
public record HistoryEntry(
        HistoryKind kind,
        @Nullable String step,
        int attempt,
        @Nullable String detail,
        Instant at) {}

package io.waybill.saga.admin;

import io.waybill.saga.store.SagaSignal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An action that an operator has requested.
 *
 * @param step null for {@link SagaSignal.Kind#CANCEL}
 */
public record SagaRequest(
        UUID saga,
        long id,
        SagaSignal.Kind action,
        @Nullable String step) {}

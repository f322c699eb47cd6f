package io.waybill.saga.admin;

import io.waybill.saga.store.SagaSignal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Actions of operators. An action is a request: an engine with the definition of the saga applies it, usually within a second, and
 * writes the result into the saga's history. The audit row is written together with the request.
 */
public interface SagaOperations {

    /**
     * Requests an action.
     *
     * @param step null for {@link SagaSignal.Kind#CANCEL}
     * @param data for {@link SagaSignal.Kind#RESOLVE}: the new data of the saga, as JSON; null to keep it
     * @return the id of the request; {@link SagaView#signals} contains it until it is applied
     * @throws io.waybill.WaybillException if the saga does not exist or has ended
     */
    long request(
            UUID saga,
            SagaSignal.Kind action,
            @Nullable String step,
            @Nullable String data,
            String actor,
            String reason);
}

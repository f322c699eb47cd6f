package io.waybill.saga.store;

import io.waybill.saga.SagaStatus;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored execution of a saga.
 *
 * @param data the saga's data as JSON
 * @param state the steps and everything else that the engine remembers, as JSON
 * @param headers the headers of the flow: correlation id and trace
 * @param parentId the saga of which this one is a step
 * @param error the reason of a failure, for operators
 * @param stuck the names of the steps that wait for a person, separated by commas; empty if there are none
 * @param wakeAt when the engine has something to do; null if the saga only waits for an event or a person
 * @param revision grows with every change
 */
public record SagaRecord(
        UUID id,
        String name,
        int version,
        String businessKey,
        SagaStatus status,
        String data,
        String state,
        Map<String, String> headers,
        @Nullable UUID parentId,
        @Nullable String parentStep,
        @Nullable String error,
        String stuck,
        @Nullable Instant wakeAt,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant endedAt,
        long revision) {

    /** The next revision of the same saga, with another time at which the engine has something to do. */
    public SagaRecord wakingAt(Instant time) {
        return new SagaRecord(
                id,
                name,
                version,
                businessKey,
                status,
                data,
                state,
                headers,
                parentId,
                parentStep,
                error,
                stuck,
                time,
                createdAt,
                updatedAt,
                endedAt,
                revision + 1);
    }

    /** Whether no step and no compensation will run any more. */
    public boolean ended() {
        return endedAt != null;
    }
}

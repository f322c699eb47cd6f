package io.waybill.testkit.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.saga.SagaStatus;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore;
import io.waybill.saga.store.SagaStore.Definition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The store under test, as the test interfaces of the saga contracts see it. */
interface SagaTests<T> {
    String NAME = "place-order";

    Definition DEFINITION = new Definition(NAME, 1);

    SagaBackend<T> backend();

    default SagaStore<T> store() {
        return backend().store();
    }

    default <R> R in(Function<T, R> work) {
        return store().transaction("test", work::apply);
    }

    /** The time of the database. */
    default Instant now() {
        return in(store()::now).truncatedTo(ChronoUnit.MILLIS);
    }

    /** A saga that is executing and due now. */
    default SagaRecord saga(String key) {
        Instant now = now();
        return new SagaRecord(
                UUID.randomUUID(),
                NAME,
                1,
                key,
                SagaStatus.EXECUTING,
                "{\"key\":\"" + key + "\"}",
                "{\"steps\":[]}",
                Map.of("correlation-id", "flow \"" + key + "\""),
                null,
                null,
                null,
                "",
                now,
                now,
                now,
                null,
                1);
    }

    /** Inserts a saga with one history entry. */
    default SagaRecord insert(SagaRecord saga) {
        boolean inserted = in(transaction ->
                store().insert(transaction, saga, List.of(entry(HistoryKind.STARTED, null, saga.createdAt()))));
        assertThat(inserted).as("new key").isTrue();
        return saga;
    }

    static HistoryEntry entry(HistoryKind kind, @Nullable String step, Instant at) {
        return new HistoryEntry(kind, step, step == null ? 0 : 1, step == null ? null : "detail of " + step, at);
    }

    default SagaRecord stored(SagaRecord saga) {
        return store().view().find(saga.id()).orElseThrow();
    }

    /** Locks a saga, changes it and writes it. */
    default SagaRecord change(UUID id, UnaryOperator<SagaRecord> change) {
        return in(transaction -> {
            LockedSaga locked = store().lock(transaction, id).orElseThrow();
            SagaRecord changed = change.apply(locked.saga());
            store().update(transaction, changed, true, List.of(), List.of());
            return changed;
        });
    }

    default Optional<SagaRecord> find(String name, String businessKey) {
        return in(transaction -> store().find(transaction, name, businessKey));
    }

    default Optional<LockedSaga> lock(UUID id) {
        return in(transaction -> store().lock(transaction, id));
    }

    default Optional<LockedSaga> lockDue(UUID id) {
        return in(transaction -> store().lockDue(transaction, id));
    }

    default void post(UUID saga, SagaSignal signal) {
        in(transaction -> {
            store().post(transaction, saga, signal);
            return saga;
        });
    }

    default List<UUID> due(int limit) {
        return store().due(List.of(DEFINITION), limit);
    }

    /** The next revision of a saga, with another time at which it is due. */
    static SagaRecord waking(SagaRecord saga, @Nullable Instant wakeAt) {
        return with(saga, saga.status(), saga.data(), saga.stuck(), wakeAt, saga.endedAt());
    }

    /** The next revision of a saga, as an engine writes it when its last step has succeeded. */
    static SagaRecord ended(SagaRecord saga, Instant at) {
        return with(saga, SagaStatus.COMPLETED, saga.data(), "", null, at);
    }

    /** The next revision of a saga. */
    static SagaRecord with(
            SagaRecord saga,
            SagaStatus status,
            String data,
            String stuck,
            @Nullable Instant wakeAt,
            @Nullable Instant endedAt) {
        return new SagaRecord(
                saga.id(),
                saga.name(),
                saga.version(),
                saga.businessKey(),
                status,
                data,
                saga.state(),
                saga.headers(),
                saga.parentId(),
                saga.parentStep(),
                saga.error(),
                stuck,
                wakeAt,
                saga.createdAt(),
                saga.updatedAt(),
                endedAt,
                saga.revision() + 1);
    }
}

package io.waybill.saga.internal.engine;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaHeaders;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.internal.execution.StateJson;
import io.waybill.saga.internal.execution.Transition;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Passes events to the sagas that wait for them, in the transaction of the inbox: the mark of the event, the change of the saga and
 * the next commands commit together.
 */
public final class Replies<T> implements Handler<T> {
    private final SagaStore<T> store;
    private final Definitions definitions;
    private final Writer<T> writer;
    private final Runnable hint;

    /** @param hint called when a saga may have become due */
    public Replies(SagaStore<T> store, Definitions definitions, Writer<T> writer, Runnable hint) {
        this.store = store;
        this.definitions = definitions;
        this.writer = writer;
        this.hint = hint;
    }

    @Override
    public void handle(T transaction, Event event) {
        Set<UUID> given = new HashSet<>(); // one saga gets an event once
        UUID named = sagaId(event);
        if (named != null) {
            given.add(named);
            store.lock(transaction, named).ifPresent(locked -> apply(transaction, locked, event));
        }
        // A reply to one saga may be the event that another one awaits.
        for (Saga<?> saga : definitions.sagas()) {
            for (SagaStep<?> step : saga.steps()) {
                if (step.action() instanceof StepAction.AwaitEvent<?> await && waitsFor(await, event)) {
                    find(transaction, saga, await.businessKey().apply(event))
                            .filter(given::add)
                            .flatMap(id -> store.lock(transaction, id))
                            .ifPresent(locked -> apply(transaction, locked, event));
                }
            }
        }
    }

    private static boolean waitsFor(StepAction<?> action, Event event) {
        return action.replies().containsKey(event.type()) || action.refusals().contains(event.type());
    }

    private static @Nullable UUID sagaId(Event event) {
        String id = event.headers().get(SagaHeaders.SAGA_ID);
        if (id == null || !event.headers().containsKey(SagaHeaders.COMMAND_ID)) {
            return null;
        }
        try {
            return UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            return null; // no saga of ours
        }
    }

    private Optional<UUID> find(T transaction, Saga<?> saga, String key) {
        return store.find(transaction, saga.name(), key)
                .filter(found -> found.version() == saga.version()
                        || saga.migrations().containsKey(found.version())
                        || definitions.of(found).isEmpty())
                .map(SagaRecord::id);
    }

    private void apply(T transaction, LockedSaga locked, Event event) {
        Optional<Saga<?>> definition = definitions.of(locked.saga());
        if (definition.isEmpty()) {
            // A newer or older version of this service knows the definition. The inbox has marked the event, so it is
            // kept here.
            store.post(
                    transaction,
                    locked.saga().id(),
                    SagaSignal.of(SagaSignal.Kind.EVENT, null, StateJson.write(event)));
            return;
        }
        Transition<?> transition = writer.transition(definition.get(), locked);
        transition.event(event);
        writer.write(transaction, transition, List.of());
        Writer.notify(transition.effects());
        hint.run();
    }
}

package io.waybill.saga.internal.engine;

import io.waybill.WaybillException;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaStore.Definition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The definitions that an engine can execute, with the children of their steps. */
public final class Definitions {
    private final Map<Definition, Saga<?>> byVersion = new LinkedHashMap<>();
    private final Class<?> transactionType;

    public Definitions(Collection<Saga<?>> sagas, Class<?> transactionType) {
        this.transactionType = transactionType;
        sagas.forEach(this::add);
        for (Saga<?> saga : List.copyOf(byVersion.values())) {
            for (int earlier : saga.migrations().keySet()) {
                byVersion.putIfAbsent(new Definition(saga.name(), earlier), saga);
            }
        }
    }

    private void add(Saga<?> saga) {
        Saga<?> known = byVersion.put(new Definition(saga.name(), saga.version()), saga);
        if (known == saga) {
            return;
        }
        if (known != null) {
            throw new WaybillException(
                    "There are two definitions of " + saga + ". Give each a version of its own, or its own name.");
        }
        for (SagaStep<?> step : saga.steps()) {
            check(saga, step.name(), step.action());
            if (step.alternative() != null) {
                check(saga, step.name(), step.alternative());
            }
            if (step.compensation() != null) {
                check(saga, step.name(), step.compensation().action());
            }
        }
    }

    private void check(Saga<?> saga, String step, StepAction<?> action) {
        if (action instanceof StepAction.Local<?, ?> local
                && local.transactionType() != null
                && !local.transactionType().isAssignableFrom(transactionType)) {
            throw new WaybillException("Step " + step + " of " + saga + " works on a "
                    + local.transactionType().getSimpleName() + ", but the transactions of this engine are of type "
                    + transactionType.getSimpleName() + ".");
        }
        if (action instanceof StepAction.Child<?, ?> child) {
            add(child.saga());
        }
    }

    /** Returns all names and versions that this engine can execute, directly or by migration. */
    public Set<Definition> all() {
        return byVersion.keySet();
    }

    public Collection<Saga<?>> sagas() {
        return new LinkedHashSet<>(byVersion.values());
    }

    /** Returns the definition that executes a stored saga; empty if this engine has none for its version. */
    public Optional<Saga<?>> of(SagaRecord stored) {
        return Optional.ofNullable(byVersion.get(new Definition(stored.name(), stored.version())));
    }

    public boolean contains(Saga<?> saga) {
        return byVersion.get(new Definition(saga.name(), saga.version())) == saga;
    }

    /** Returns the types of all events that any step waits for. */
    public Set<String> eventTypes() {
        Set<String> types = new LinkedHashSet<>();
        for (StepAction<?> action : actions()) {
            types.addAll(action.replies().keySet());
            types.addAll(action.refusals());
        }
        return types;
    }

    private List<StepAction<?>> actions() {
        List<StepAction<?>> actions = new ArrayList<>();
        for (Saga<?> saga : byVersion.values()) {
            for (SagaStep<?> step : saga.steps()) {
                actions.add(step.action());
                if (step.alternative() != null) {
                    actions.add(step.alternative());
                }
                if (step.compensation() != null) {
                    actions.add(step.compensation().action());
                }
            }
        }
        return actions;
    }
}

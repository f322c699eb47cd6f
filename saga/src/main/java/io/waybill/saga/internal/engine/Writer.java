package io.waybill.saga.internal.engine;

import com.github.f4b6a3.uuid.UuidCreator;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaListener;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.internal.execution.Effects;
import io.waybill.saga.internal.execution.SagaRules;
import io.waybill.saga.internal.execution.Transition;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts sagas, and writes what a transition has decided, in the transaction of the caller. */
public final class Writer<T> {
    private static final Logger LOG = LoggerFactory.getLogger("io.waybill.saga.Sagas");
    private static final int LONGEST_KEY = 255;

    private final SagaStore<T> store;
    private final Outbox<T> outbox;
    private final SagaJson json;
    private final SagaListener listener;
    private final SagaRules rules;

    public Writer(SagaStore<T> store, Outbox<T> outbox, SagaJson json, SagaListener listener, SagaRules rules) {
        this.store = store;
        this.outbox = outbox;
        this.json = json;
        this.listener = listener;
        this.rules = rules;
    }

    /** A step of an atomic saga threw an exception. It rolls the transaction back. */
    public static final class StepFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StepFailure(String step, Throwable cause) {
            super("Step " + step + ": " + cause, cause);
        }
    }

    /** The parent of a child, and the child's id. */
    private record Parent(UUID id, String step, UUID child) {}

    /** Returns the id of the saga with this business key, which is started unless it exists. */
    public <D> UUID start(T transaction, Saga<D> saga, String key, D data, Map<String, String> headers) {
        return start(transaction, saga, key, data, headers, null);
    }

    private <D> UUID start(
            T transaction, Saga<D> saga, String key, D data, Map<String, String> headers, @Nullable Parent parent) {
        Instant now = store.now(transaction);
        UUID id = parent == null ? UuidCreator.getTimeOrderedEpoch() : parent.child();
        SagaRecord created = created(id, saga, key, data, headers, parent, now);
        Transition<D> transition = new Transition<>(saga, json, listener, rules, created, now);
        transition.start();
        if (!store.insert(transaction, transition.result(), transition.effects().history())) {
            return existing(transaction, saga, key).id();
        }
        carryOut(transaction, created.id(), transition.effects());
        notify(transition.effects());
        return created.id();
    }

    /**
     * Runs an atomic saga.
     *
     * @return the finished saga, or the existing one with this business key
     * @throws StepFailure if a step fails; the caller rolls the transaction back
     */
    public <D> SagaRecord execute(T transaction, Saga<D> saga, String key, D data, Map<String, String> headers) {
        Instant now = store.now(transaction);
        SagaRecord created = created(UuidCreator.getTimeOrderedEpoch(), saga, key, data, headers, null, now);
        Transition<D> transition = new Transition<>(saga, json, listener, rules, created, now);
        // Inserted first, so that a second call with this key waits here and runs nothing.
        if (!store.insert(transaction, created, List.of())) {
            return existing(transaction, saga, key);
        }
        transition.start();
        AtomicRun.run(transaction, saga, transition);
        write(transaction, transition, List.of());
        return transition.result();
    }

    private SagaRecord existing(T transaction, Saga<?> saga, String key) {
        return store.find(transaction, saga.name(), key)
                .orElseThrow(() -> new WaybillException("Saga " + saga.name() + " with key " + key
                        + " exists, but this transaction cannot see it. Use a READ COMMITTED transaction, or retry."));
    }

    private <D> SagaRecord created(
            UUID id,
            Saga<D> saga,
            String key,
            D data,
            Map<String, String> headers,
            @Nullable Parent parent,
            Instant now) {
        if (key.isBlank() || key.length() > LONGEST_KEY) {
            throw new WaybillException("The business key of " + saga + " must have 1 to " + LONGEST_KEY
                    + " characters, not " + key.length() + ".");
        }
        return new SagaRecord(
                id,
                saga.name(),
                saga.version(),
                key,
                SagaStatus.PENDING,
                json.write(data),
                "{}",
                headers,
                parent == null ? null : parent.id(),
                parent == null ? null : parent.step(),
                null,
                "",
                null,
                now,
                now,
                null,
                0);
    }

    /** Returns the transition of a locked saga. */
    public <D> Transition<D> transition(Saga<D> saga, LockedSaga locked) {
        SagaRecord stored = locked.saga();
        Transition<D> transition = new Transition<>(saga, json, listener, rules, stored, locked.now());
        if (stored.version() != saga.version()) {
            UnaryOperator<String> migration = saga.migrations().get(stored.version());
            if (migration == null) {
                throw new WaybillException(saga + " has no migration from version " + stored.version() + ".");
            }
            transition.migrated(stored.version(), migration.apply(stored.data()));
        }
        return transition;
    }

    public void write(T transaction, Transition<?> transition, List<SagaSignal> applied) {
        SagaRecord changed = transition.result();
        store.update(
                transaction,
                changed,
                transition.dataChanged(),
                transition.effects().history(),
                applied);
        carryOut(transaction, changed.id(), transition.effects());
    }

    private void carryOut(T transaction, UUID id, Effects<?> effects) {
        if (!effects.events().isEmpty()) {
            outbox.append(transaction, effects.events());
        }
        for (Effects.ChildStart<?> child : effects.children()) {
            startChild(transaction, id, child);
        }
        effects.postings().forEach(posting -> store.post(transaction, posting.saga(), posting.signal()));
    }

    private <C> void startChild(T transaction, UUID parent, Effects.ChildStart<C> child) {
        UUID id = start(
                transaction,
                child.saga(),
                child.key(),
                child.data(),
                child.headers(),
                new Parent(parent, child.step(), child.id()));
        if (!id.equals(child.id())) {
            store.post(
                    transaction,
                    parent,
                    SagaSignal.of(
                            SagaSignal.Kind.CHILD_ENDED,
                            child.step(),
                            Transition.childRefused(
                                    child.id(),
                                    "Saga " + child.saga().name() + " with key " + child.key()
                                            + " exists already, and is no child of this one.")));
        }
    }

    /** Calls hooks and listener. Their exceptions are logged: what they are told about has happened. */
    public static void notify(Effects<?> effects) {
        for (Runnable notice : effects.notices()) {
            try {
                notice.run();
            } catch (Throwable e) { // also errors: a hook must not stop the engine
                LOG.warn("A hook or listener of a saga failed. The saga is not affected.", e);
            }
        }
    }
}

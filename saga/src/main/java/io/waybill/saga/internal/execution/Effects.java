package io.waybill.saga.internal.execution;

import io.waybill.Event;
import io.waybill.saga.ExternalCall;
import io.waybill.saga.StepAction;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a transition wants done: the first four in its transaction, calls and notices after its commit. */
public final class Effects<D> {
    private final List<Event> events = new ArrayList<>();
    private final List<HistoryEntry> history = new ArrayList<>();
    private final List<Posting> postings = new ArrayList<>();
    private final List<ChildStart<?>> children = new ArrayList<>();
    private final List<Call<D>> calls = new ArrayList<>();
    private final List<Runnable> notices = new ArrayList<>();

    /** A signal for another saga. */
    public record Posting(UUID saga, SagaSignal signal) {}

    /** A saga to start as the child of a step. */
    public record ChildStart<C>(
            UUID id, io.waybill.saga.Saga<C> saga, String step, String key, C data, Map<String, String> headers) {}

    /**
     * A call to make outside of all transactions.
     *
     * @param undo whether the call is a compensation
     * @param before the data of the saga as JSON
     */
    public record Call<D>(
            String step, boolean undo, StepAction.ExternalWork<D> work, D data, String before, ExternalCall call) {}

    public List<Event> events() {
        return events;
    }

    public List<HistoryEntry> history() {
        return history;
    }

    public List<Posting> postings() {
        return postings;
    }

    public List<ChildStart<?>> children() {
        return children;
    }

    public List<Call<D>> calls() {
        return calls;
    }

    public List<Runnable> notices() {
        return notices;
    }
}

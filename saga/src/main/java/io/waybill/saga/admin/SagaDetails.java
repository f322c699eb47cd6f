package io.waybill.saga.admin;

import io.waybill.WaybillException;
import io.waybill.saga.internal.execution.PastState;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.picture.SagaPicture;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that an operator sees of one saga.
 *
 * @param history the entries of the history in their order; of a very long one, the last ones
 * @param historyComplete whether the history has no earlier entries
 * @param pending the signals that no engine has applied yet
 * @param outline the definition; null if no engine has stored it
 */
public record SagaDetails(
        SagaRecord saga,
        List<StepDetails> steps,
        List<HistoryEntry> history,
        boolean historyComplete,
        List<SagaSignal> pending,
        @Nullable SagaOutline outline) {
    public SagaDetails {
        steps = List.copyOf(steps);
        history = List.copyOf(history);
        pending = List.copyOf(pending);
    }

    /** @param historyLimit the most entries of the history to read */
    public static SagaDetails of(SagaView view, SagaRecord saga, int historyLimit) {
        // One more than wanted tells whether there are earlier entries.
        List<HistoryEntry> history = view.history(saga.id(), historyLimit + 1);
        boolean complete = history.size() <= historyLimit;
        return new SagaDetails(
                saga,
                StepDetails.of(saga),
                complete ? history : history.subList(1, history.size()),
                complete,
                view.signals(saga.id()),
                view.outline(saga.name(), saga.version()).orElse(null));
    }

    /**
     * Returns the saga as it was at this time, as its history tells. The data is the current one, because the history does not contain it.
     *
     * @throws WaybillException if the saga did not exist then, or earlier entries of the history are missing here
     */
    public SagaDetails at(Instant time) {
        if (!historyComplete) {
            throw new WaybillException("Cannot show saga " + saga.id() + " at " + time + ": its history has more than "
                    + history.size() + " entries.");
        }
        if (time.isBefore(saga.createdAt())) {
            throw new WaybillException("Saga " + saga.id() + " did not exist at " + time + ". It was started at "
                    + saga.createdAt() + ".");
        }
        List<HistoryEntry> until =
                history.stream().filter(entry -> !entry.at().isAfter(time)).toList();
        SagaRecord then = PastState.after(saga, until);
        return new SagaDetails(then, StepDetails.of(then), until, true, List.of(), outline);
    }

    /** Returns the picture of the execution as a Mermaid flowchart; empty if no engine has stored the definition. */
    public Optional<String> picture() {
        return Optional.ofNullable(outline).map(known -> SagaPicture.execution(known, saga));
    }
}

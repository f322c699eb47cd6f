package io.waybill.saga.admin;

import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore.Definition;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads sagas for operators. Nothing is locked. */
public interface SagaView {
    /** The most entries that {@link #history(UUID)} returns. */
    int LONGEST_HISTORY = 10_000;

    /**
     * Returns matching sagas, the newest first. Their data and state are empty objects: a page of large sagas would not fit into the
     * memory of the reader.
     *
     * @throws io.waybill.WaybillException if the last saga of the page before was removed
     */
    List<SagaRecord> list(SagaFilter filter);

    Optional<SagaRecord> find(UUID id);

    Optional<SagaRecord> find(String name, String businessKey);

    /** Returns the history of a saga in its order; of a very long one, the last {@link #LONGEST_HISTORY} entries. */
    default List<HistoryEntry> history(UUID id) {
        return history(id, LONGEST_HISTORY);
    }

    /** Returns the last entries of the history of a saga, in their order. */
    List<HistoryEntry> history(UUID id, int limit);

    /** Returns the signals that no engine has applied yet. */
    List<SagaSignal> signals(UUID id);

    /** Returns the definitions that engines have stored when they started, by name and version. */
    List<Definition> definitions();

    /** Returns the outline of a definition, which an engine has stored when it started. */
    Optional<SagaOutline> outline(String name, int version);

    /** Returns the number of sagas for each definition and state, and their ages. Counts the ended sagas, too, which may be many. */
    List<SagaStatistics> statistics();

    /** Returns the sagas that have not ended, for each definition and state. The cost does not grow with the number of ended sagas. */
    List<SagaActivity> activity();
}

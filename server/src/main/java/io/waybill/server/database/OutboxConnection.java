package io.waybill.server.database;

import io.waybill.WaybillException;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.inbox.InboxStatus;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.problem.Problem;
import io.waybill.store.OutboxStore;
import java.util.List;
import java.util.Optional;

/** The outbox on its connections, with the inbox and the sagas of the same database. */
public interface OutboxConnection extends AutoCloseable {
    /** Returns the store that a relay works on. */
    OutboxStore store();

    OutboxView view();

    DeadLetters deadLetters();

    /** Connects once, and throws a {@link Problem} with the cause and the remedy when that fails. */
    void ping();

    /** Returns the problems of the tables, and those that prevent a relay from working on these connections. */
    List<String> relayProblems();

    /** Returns empty if this kind of database does not support searches. */
    Optional<OutboxSearch> search();

    /** Returns empty if this kind of database does not support actions. */
    Optional<OutboxActions> actions();

    /** Returns empty if this kind of database does not support bulk operations. */
    Optional<BulkOperations> bulk();

    /** Returns empty if there is no inbox in this database. */
    Optional<InboxOperations> inbox();

    /** Returns empty if there are no sagas in this database, or this program cannot read them. */
    Optional<SagaActions> sagas();

    /** Returns the consumer groups; empty if there is no inbox in this database. */
    default List<InboxStatus> groups() {
        return inbox().map(found -> found.view().status()).orElse(List.of());
    }

    /** Returns the groups; empty also if this user may not read them, which {@code waybill doctor} reports. */
    default List<InboxStatus> readableGroups() {
        try {
            return groups();
        } catch (WaybillException e) {
            return List.of();
        }
    }

    /** Returns the sagas that have not ended. Empty also if this user may not read them, which {@code waybill doctor} reports. */
    default Optional<SagaTotals> sagaTotals() {
        try {
            return sagas().map(found -> SagaTotals.of(found.view().activity()));
        } catch (WaybillException e) {
            return Optional.empty();
        }
    }

    @Override
    void close();
}

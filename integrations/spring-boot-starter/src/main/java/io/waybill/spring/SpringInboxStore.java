package io.waybill.spring;

import io.waybill.Event;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The inbox's tables, written in Spring's transactions instead of its own, so that whatever a handler uses (repositories,
 * {@code JdbcTemplate}, the outbox) commits together with the mark that its event was handled.
 */
final class SpringInboxStore implements InboxStore<Connection> {
    /** In such a transaction the mark would commit although the handler fails, and the retry would be a duplicate. */
    private static final String FOREIGN =
            "The transaction manager that the inbox uses does not begin transactions of the DataSource that holds the inbox, so"
                    + " that a handler's changes and the mark that its event was handled could commit apart.";

    private static final String REMEDY =
            "Define a transaction manager of that DataSource (JdbcTransactionManager, or JpaTransactionManager) and mark it"
                    + " @Primary. JTA transactions are not supported.";

    private final InboxStore<Connection> tables;
    private final DataSource dataSource;
    private final TransactionOperations transactions;

    SpringInboxStore(InboxStore<Connection> tables, DataSource dataSource, TransactionOperations transactions) {
        this.tables = tables;
        this.dataSource = dataSource;
        this.transactions = transactions;
    }

    /**
     * What only the commit finds out (a constraint that JPA writes at the end, a transaction that somebody marked for rollback) is
     * the store's failure to the inbox: nothing was committed, and the event is tried again.
     */
    @Override
    public <R> R transaction(String what, Work<Connection, R> work) {
        R result;
        try {
            result = transactions.execute(status -> {
                if (!TransactionOwner.is(dataSource)) {
                    throw new StoreException(FOREIGN + " " + REMEDY, null);
                }
                Connection connection = DataSourceUtils.getConnection(dataSource);
                try {
                    return work.in(connection);
                } finally {
                    DataSourceUtils.releaseConnection(connection, dataSource);
                }
            });
        } catch (TransactionException | DataAccessException e) {
            throw new StoreException("Cannot " + what + ": " + e.getMessage(), e);
        }
        if (result == null) {
            throw new IllegalStateException("The work to " + what + " returned nothing.");
        }
        return result;
    }

    /**
     * Begins a transaction to see whose it is.
     *
     * @throws StartFailure when it is not one of the inbox's DataSource
     */
    void checkTransactions() {
        try {
            transactions.executeWithoutResult(status -> {
                if (!TransactionOwner.is(dataSource)) {
                    throw new StartFailure(FOREIGN, REMEDY);
                }
            });
        } catch (TransactionException | DataAccessException e) {
            // The database does not answer. Each transaction is checked again.
        }
    }

    @Override
    public Admission admit(Connection connection, String group, Event event, boolean held) {
        return tables.admit(connection, group, event, held);
    }

    @Override
    public List<Admission> admitAll(Connection connection, String group, List<Event> events) {
        return tables.admitAll(connection, group, events);
    }

    @Override
    public void markStale(Connection connection, String group, UUID id) {
        tables.markStale(connection, group, id);
    }

    @Override
    public void unmark(Connection connection, String group, UUID id) {
        tables.unmark(connection, group, id);
    }

    @Override
    public boolean advance(Connection connection, String group, String entity, long version) {
        return tables.advance(connection, group, entity, version);
    }

    @Override
    public Sequence advanceStrictly(
            Connection connection, String group, String entity, long version, boolean acceptGap) {
        return tables.advanceStrictly(connection, group, entity, version, acceptGap);
    }

    @Override
    public Parking park(Connection connection, String group, Event event, ReceivedMessage message) {
        return tables.park(connection, group, event, message);
    }

    @Override
    public void awaitPredecessor(
            Connection connection, String group, Event event, ReceivedMessage message, Duration patience) {
        tables.awaitPredecessor(connection, group, event, message, patience);
    }

    @Override
    public boolean scheduleRetry(
            Connection connection,
            String group,
            Event event,
            ReceivedMessage message,
            Duration delay,
            String error,
            boolean counted) {
        return tables.scheduleRetry(connection, group, event, message, delay, error, counted);
    }

    @Override
    public void postpone(
            Connection connection,
            String group,
            HeldEvent held,
            Duration delay,
            @Nullable String error,
            boolean counted) {
        tables.postpone(connection, group, held, delay, error, counted);
    }

    @Override
    public void release(Connection connection, String group, UUID id) {
        tables.release(connection, group, id);
    }

    @Override
    public boolean recordDeadLetter(Connection connection, DeadLetter letter) {
        return tables.recordDeadLetter(connection, letter);
    }

    @Override
    public List<HeldEvent> claimDue(String group, int limit, Duration lease) {
        return tables.claimDue(group, limit, lease);
    }

    @Override
    public int prune(String group, Duration age, int limit) {
        return tables.prune(group, age, limit);
    }

    @Override
    public void showPause(String group, String consumer, Duration lasts, String reason, Duration valid) {
        tables.showPause(group, consumer, lasts, reason, valid);
    }

    @Override
    public void endPause(String group, String consumer) {
        tables.endPause(group, consumer);
    }

    @Override
    public void probe() {
        tables.probe();
    }

    @Override
    public boolean isOutage(Throwable error) {
        return tables.isOutage(error);
    }

    @Override
    public boolean refusesData(Throwable error) {
        return tables.refusesData(error);
    }
}

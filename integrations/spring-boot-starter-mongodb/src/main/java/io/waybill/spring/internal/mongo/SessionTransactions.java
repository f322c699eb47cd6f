package io.waybill.spring.internal.mongo;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import io.waybill.WaybillException;
import io.waybill.inbox.InboxTransactions;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.store.StoreException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs the work of the inbox in Spring transactions, so that changes through {@code MongoTemplate}, repositories and the outbox commit
 * together with the record of the work. If a transaction conflicts with another one, MongoDB aborts it, and the work runs again.
 */
final class SessionTransactions implements InboxTransactions<ClientSession> {
    private static final int MAX_PAUSE_MILLIS = 100;

    private final CurrentSession session;
    private final TransactionTemplate transactions;
    private final boolean joins;

    private SessionTransactions(
            CurrentSession session, PlatformTransactionManager manager, int propagation, boolean joins) {
        this.session = session;
        this.transactions = new TransactionTemplate(manager);
        transactions.setPropagationBehavior(propagation);
        this.joins = joins;
    }

    /** New transactions, also when the caller has one: the inbox decides about each event alone. */
    static SessionTransactions always(CurrentSession session, PlatformTransactionManager manager) {
        return new SessionTransactions(session, manager, TransactionDefinition.PROPAGATION_REQUIRES_NEW, false);
    }

    /** The current transaction, or a new one if none is active. */
    static SessionTransactions joining(CurrentSession session, PlatformTransactionManager manager) {
        return new SessionTransactions(session, manager, TransactionDefinition.PROPAGATION_REQUIRED, true);
    }

    @Override
    public boolean joinsOpen() {
        return joins && session.isActive();
    }

    @Override
    public void onRollback(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int outcome) {
                if (outcome != STATUS_COMMITTED) {
                    action.run();
                }
            }
        });
    }

    @Override
    public <R> R transaction(String what, Work<ClientSession, R> work) {
        boolean joined = joinsOpen(); // only the owner of a transaction can run it again
        long end = System.nanoTime() + DurableTransactions.RETRY_LIMIT.toNanos();
        for (int attempt = 1; ; attempt++) {
            try {
                return required(transactions.execute(status -> work.in(current(what))), what);
            } catch (RuntimeException e) {
                if (joined || !MongoErrors.isTransient(e) || System.nanoTime() > end) {
                    throw explained(what, e);
                }
            }
            pause(what, attempt);
        }
    }

    private ClientSession current(String what) {
        return session.find()
                .orElseThrow(() -> new WaybillException("Cannot " + what
                        + ": the transaction does not belong to the MongoDatabaseFactory of the inbox."));
    }

    private static RuntimeException explained(String what, RuntimeException e) {
        return e instanceof TransactionException || e instanceof DataAccessException || e instanceof MongoException
                ? new StoreException("Cannot " + what + ": " + e.getMessage(), e)
                : e;
    }

    private static <R> R required(@Nullable R result, String what) {
        if (result == null) {
            throw new IllegalStateException("The work to " + what + " returned null.");
        }
        return result;
    }

    private static void pause(String what, int attempt) {
        int longest = Math.min(MAX_PAUSE_MILLIS, 2 << Math.min(attempt, 10));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(1, longest + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("Interrupted while trying to " + what + " again after a conflict.", e);
        }
    }
}

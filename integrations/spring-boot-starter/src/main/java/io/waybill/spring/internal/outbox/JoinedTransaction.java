package io.waybill.spring.internal.outbox;

import io.waybill.WaybillException;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The rules for work that joins the caller's transaction. */
public final class JoinedTransaction {
    private JoinedTransaction() {}

    /**
     * @param what the work, as in "Cannot append event order.placed/42"
     * @param method the method that the caller has called
     * @throws WaybillException when the work would not commit together with the caller's changes
     */
    public static void require(DataSource dataSource, String what, String method) {
        require(() -> TransactionOwner.is(dataSource), "DataSource", what, method);
    }

    /**
     * @param owned whether the active transaction belongs to the outbox's database
     * @param owner what the transaction has to belong to, as in "DataSource"
     */
    public static void require(BooleanSupplier owned, String owner, String what, String method) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw refused(
                    what,
                    "no transaction is active. Call " + method
                            + " inside the transaction that changes your data: from a @Transactional method, which must be"
                            + " called from another bean, or in a TransactionTemplate.");
        }
        if (CommitWatch.isOver()) {
            throw refused(
                    what,
                    "the transaction has already committed or rolled back, so this change would not be committed. Call "
                            + method
                            + " before the commit, with @TransactionalEventListener(phase = BEFORE_COMMIT), or in a"
                            + " transaction of its own, with @Transactional(propagation = REQUIRES_NEW).");
        }
        if (!owned.getAsBoolean()) {
            throw refused(
                    what,
                    "the active transaction does not belong to the " + owner
                            + " of the outbox. Name the transaction manager of that " + owner
                            + " in @Transactional, or mark it @Primary.");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw refused(what, "the active transaction is read-only. Remove readOnly = true where it begins.");
        }
    }

    private static WaybillException refused(String what, String why) {
        return new WaybillException("Cannot " + what + ": " + why);
    }
}

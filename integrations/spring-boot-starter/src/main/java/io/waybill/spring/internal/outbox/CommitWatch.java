package io.waybill.spring.internal.outbox;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Records that the active transaction has committed. During the callbacks after the commit, Spring keeps the connection bound and
 * reports the transaction as active, but a statement there runs outside of any transaction.
 *
 * <p>The mark is a synchronization without callbacks, registered right before the commit: synchronizations belong to one
 * transaction, and Spring suspends them while another transaction (REQUIRES_NEW) runs inside the callbacks.
 */
final class CommitWatch implements BeanPostProcessor, TransactionExecutionListener {
    private static final TransactionSynchronization COMMITTED = new TransactionSynchronization() {};

    /** Whether the active transaction has committed or rolled back. */
    static boolean isOver() {
        // Spring removes the synchronizations before it calls afterCompletion.
        return !TransactionSynchronizationManager.isSynchronizationActive()
                || TransactionSynchronizationManager.getSynchronizations().contains(COMMITTED);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(this);
        }
        return bean;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(COMMITTED);
        }
    }
}

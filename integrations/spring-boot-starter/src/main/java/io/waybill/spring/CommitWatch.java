package io.waybill.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers that the active transaction has committed. Spring keeps its connection bound during the callbacks after the commit, and
 * calls the transaction active; a statement there is outside of every transaction.
 *
 * <p>The mark is a synchronization without callbacks, registered right before the commit: synchronizations belong to one
 * transaction, and Spring sets them aside while another one (REQUIRES_NEW) runs inside of the callbacks.
 */
final class CommitWatch implements BeanPostProcessor, TransactionExecutionListener {
    private static final TransactionSynchronization COMMITTED = new TransactionSynchronization() {};

    /** Whether the active transaction is past its commit or its rollback. */
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

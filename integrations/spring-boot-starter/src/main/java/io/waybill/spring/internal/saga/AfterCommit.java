package io.waybill.spring.internal.saga;

import org.springframework.transaction.support.TransactionSynchronization;

/** Wakes the engine after a commit. Spring keeps synchronizations in a set, so a transaction wakes it once. */
record AfterCommit(Runnable wakeUp) implements TransactionSynchronization {
    @Override
    public void afterCommit() {
        wakeUp.run();
    }
}

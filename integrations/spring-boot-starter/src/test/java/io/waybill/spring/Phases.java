package io.waybill.spring;

import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** Listeners of each phase in which a transaction ends. */
class Phases {
    record Ending(TransactionPhase phase, Runnable work) {}

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    public void beforeCommit(Ending ending) {
        run(TransactionPhase.BEFORE_COMMIT, ending);
    }

    @TransactionalEventListener
    public void afterCommit(Ending ending) {
        run(TransactionPhase.AFTER_COMMIT, ending);
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    public void afterRollback(Ending ending) {
        run(TransactionPhase.AFTER_ROLLBACK, ending);
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
    public void afterCompletion(Ending ending) {
        run(TransactionPhase.AFTER_COMPLETION, ending);
    }

    private static void run(TransactionPhase phase, Ending ending) {
        if (ending.phase() == phase) {
            ending.work().run();
        }
    }
}

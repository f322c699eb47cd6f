package io.waybill.spring.internal.inbox;

import io.waybill.inbox.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Limits the time of one handler inside a Spring transaction. It sets the deadline of the transaction's connection and entity
 * manager, as a transaction manager does for {@code @Transactional(timeout = …)}; {@code JdbcTemplate} and JPA read it before each
 * statement. Several handlers can share a transaction, so the deadline before the handler is restored after it.
 */
record TimeLimit(Duration limit) {
    /** Restored if there was no deadline before the handler: Spring cannot remove a deadline, but this one is never reached. */
    private static final Duration UNLIMITED = Duration.ofDays(365);

    private record Deadline(ResourceHolderSupport holder, long millis) {
        void restore() {
            holder.setTimeoutInMillis(Math.max(0, millis - System.currentTimeMillis()));
        }
    }

    <T> Handler<T> of(Handler<T> handler) {
        return (transaction, event) -> {
            List<Deadline> before = new ArrayList<>();
            for (Object resource :
                    TransactionSynchronizationManager.getResourceMap().values()) {
                if (resource instanceof ResourceHolderSupport holder) {
                    before.add(deadline(holder));
                }
            }
            before.forEach(deadline -> deadline.holder().setTimeoutInMillis(limit.toMillis()));
            try {
                handler.handle(transaction, event);
            } finally {
                before.forEach(Deadline::restore);
            }
        };
    }

    private static Deadline deadline(ResourceHolderSupport holder) {
        Date until = holder.getDeadline();
        return new Deadline(
                holder,
                until == null
                        ? System.currentTimeMillis() + UNLIMITED.toMillis()
                        : until.toInstant().toEpochMilli());
    }
}

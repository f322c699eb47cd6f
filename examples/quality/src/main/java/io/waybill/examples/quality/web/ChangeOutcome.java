package io.waybill.examples.quality.web;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** The outcome of a request's change. */
enum ChangeOutcome {
    /** The transaction has not reached its commit, or was rolled back. */
    UNCHANGED("Nothing was changed."),
    /** The commit failed. The database may have committed, and its answer may be lost. */
    UNKNOWN(
            "Whether the change was stored is unknown. Read it again (GET) before you repeat the request; the entries of"
                    + " /audit-log name the X-Request-Id of the request that they are about."),
    /** The commit succeeded; the request failed afterwards. */
    STORED("The change was stored.");

    private static final String ATTRIBUTE = ChangeOutcome.class.getName();

    private final String sentence;

    ChangeOutcome(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }

    /** Returns the name in answers. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the outcome of the request that this thread handles. */
    static ChangeOutcome current() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        Object outcome = request == null ? null : request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
        return outcome == null ? UNCHANGED : (ChangeOutcome) outcome;
    }

    private void note() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        if (request != null) {
            request.setAttribute(ATTRIBUTE, this, RequestAttributes.SCOPE_REQUEST);
        }
    }

    /** Records the outcome of each transaction. Spring Boot adds this listener to the transaction manager. */
    @Component
    static class Watch implements TransactionExecutionListener {
        /** From here on, the outcome is unknown until the commit returns. */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (!transaction.isReadOnly()) {
                UNKNOWN.note();
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            if (!transaction.isReadOnly() && failure == null) {
                STORED.note();
            }
        }
    }
}

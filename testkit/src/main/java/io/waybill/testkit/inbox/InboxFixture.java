package io.waybill.testkit.inbox;

import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.PermanentException;
import io.waybill.testkit.time.ManualClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Opens inboxes before each test of an inbox contract and closes them afterwards. */
@SuppressWarnings("NullAway.Init") // JUnit calls openBackend before each test
abstract class InboxFixture<T> implements InboxTests<T> {
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Set<String> permanentlyFailing = ConcurrentHashMap.newKeySet();
    private final ManualClock clock = ManualClock.standing();
    private InboxBackend<T> backend;
    private Inbox<T> inbox;

    /** Opens new, empty inboxes. The contract calls this before each test and closes them after it. */
    protected abstract InboxBackend<T> open();

    @BeforeEach
    final void openBackend() {
        backend = open();
        inbox = builder("stock").build();
    }

    @AfterEach
    final void closeBackend() {
        backend.close();
    }

    @Override
    public final InboxBackend<T> backend() {
        return backend;
    }

    @Override
    public final Inbox<T> inbox() {
        return inbox;
    }

    @Override
    public final ManualClock clock() {
        return clock;
    }

    @Override
    public final Set<String> failing() {
        return failing;
    }

    @Override
    public final Set<String> permanentlyFailing() {
        return permanentlyFailing;
    }

    @Override
    public final Handler<T> handler(String prefix) {
        return (transaction, event) -> {
            String text = Messages.text(event);
            backend.writeLedger(transaction, prefix + text);
            if (failing.contains(text)) {
                throw new IllegalStateException(text + " fails for now");
            }
            if (permanentlyFailing.contains(text)) {
                throw new PermanentException(text + " fails permanently");
            }
        };
    }
}

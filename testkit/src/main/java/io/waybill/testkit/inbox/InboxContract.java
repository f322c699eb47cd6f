package io.waybill.testkit.inbox;

/**
 * The behaviour of an inbox store that consumers rely on: duplicates, failures, the order of a key, pauses, versions, clock steps,
 * retention and large messages. To test a store, write a class that extends this one and implement {@link #open()}, which returns new, empty
 * inboxes on a real database. {@link InboxOperatorContract} is extended in the same way.
 *
 * @param <T> the type of a transaction
 */
public abstract class InboxContract<T> extends InboxFixture<T>
        implements ApplyOnceTests<T>,
                HandlerFailureTests<T>,
                KeyOrderTests<T>,
                PauseTests<T>,
                VersionTests<T>,
                ClockStepTests<T>,
                RetentionTests<T>,
                LargeMessageTests<T> {}

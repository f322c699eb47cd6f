package io.waybill.testkit.inbox;

/**
 * Dead letters of an inbox store and what operators do with them, effects, and idempotency keys. To test a store, write a class that
 * extends this one and implement {@link #open()}, which returns new, empty inboxes on a real database. {@link InboxContract} is
 * extended in the same way.
 *
 * @param <T> the type of a transaction
 */
public abstract class InboxOperatorContract<T> extends InboxFixture<T>
        implements UnreadableMessageTests<T>, InboxDeadLetterTests<T>, EffectTests<T>, IdempotencyKeyTests<T> {}

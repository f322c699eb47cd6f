package io.waybill.testkit.inbox;

/**
 * The part of {@link InboxContract} that depends most on the database: duplicates, the order of a key, versions and clock steps. It is
 * meant for further versions of a database whose main version passes the whole contract.
 *
 * @param <T> the type of a transaction
 */
public abstract class ShortInboxContract<T> extends InboxFixture<T>
        implements ApplyOnceTests<T>, KeyOrderTests<T>, VersionTests<T>, ClockStepTests<T> {}

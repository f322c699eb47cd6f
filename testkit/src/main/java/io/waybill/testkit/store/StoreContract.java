package io.waybill.testkit.store;

/**
 * The behaviour of an outbox store that a relay relies on: claims, leases, retries, large events and transactions over several
 * lanes. To test a store, write a class that extends this one and implement {@link #open()}, which returns a new, empty outbox
 * on a real database. {@link RecoveryContract} and {@link OperatorContract} are extended in the same way.
 */
public abstract class StoreContract extends StoreFixture
        implements ClaimTests, LeaseTests, RetryTests, LargeEventTests, SharedTransactionTests {}

package io.waybill.testkit.store;

/**
 * The part of {@link StoreContract} that depends most on the database: claims and retries. It is meant for further versions of a
 * database, and for other drivers, whose main version or driver passes the whole contract.
 */
public abstract class ShortStoreContract extends StoreFixture implements ClaimTests, RetryTests {}

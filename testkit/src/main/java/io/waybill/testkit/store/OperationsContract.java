package io.waybill.testkit.store;

/**
 * The operations of a console: searches in pages, actions, pauses and bulk operations. A store that does not support them does not
 * extend this class, and its {@link StoreBackend} keeps the defaults of {@link StoreBackend#search} and the methods beside it. To test a
 * store, extend this class in the same way as {@link StoreContract}.
 */
public abstract class OperationsContract extends StoreFixture
        implements SearchTests, ActionTests, PauseTests, BulkTests {}

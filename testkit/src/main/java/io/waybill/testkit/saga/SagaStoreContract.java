package io.waybill.testkit.saga;

/**
 * The behaviour of a saga store that engine and operators rely on: starts, changes, signals, timers, lists, and two engines on one
 * saga. To test a store, write a class that extends this one and implement {@link #open()}, which returns a new, empty store on a real
 * database.
 *
 * @param <T> the type of a transaction
 */
public abstract class SagaStoreContract<T> extends SagaFixture<T>
        implements StartTests<T>, SignalTests<T>, DueTests<T>, ViewTests<T>, EngineTests<T> {}

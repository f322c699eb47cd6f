package io.waybill.relay;

/**
 * The monotonic clock of a relay: how long its own lease, pauses and rates last by its own belief. What decides between relays
 * (leases, retries, ages) is the store's time, so a ticker that runs wrong costs duplicates or patience, never an event.
 */
@FunctionalInterface
public interface Ticker {
    Ticker SYSTEM = System::nanoTime;

    /** Nanoseconds since some moment; only differences mean anything. */
    long nanos();
}

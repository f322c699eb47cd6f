package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;

/** One occurrence of a fault. Each method is called once, on one thread, {@code inject} before {@code heal}. */
public interface Injection {
    /** All drawn values in a few words, for example {@code relay-2 at AFTER_ACK:17}. */
    String parameters();

    /** Starts the fault and returns soon. */
    void inject(Cluster cluster) throws Exception;

    /** Ends the fault and returns when the cluster works again. Also called if {@code inject} failed. */
    void heal(Cluster cluster) throws Exception;

    /**
     * The number of interruptions of relays that this fault may cause. After each, a relay may repeat its messages in flight. A relay is
     * interrupted if it dies, loses its lease, or loses an answer of the database or the broker.
     */
    int interruptions();
}

package io.waybill.relay;

import io.waybill.Event;
import io.waybill.store.Lease;
import io.waybill.transport.Failure;
import java.time.Duration;

/** Hears what a relay does, for metrics and logs. Called on relay threads: return at once. An exception is logged once and changes nothing. */
public interface RelayListener {
    RelayListener NONE = new RelayListener() {};

    /** @param latency from the event's insert to the broker's acknowledgement */
    default void published(Event event, Duration latency) {}

    default void failed(Event event, Failure failure) {}

    default void deadLettered(Event event, String reason) {}

    default void batch(int size) {}

    /** What came of looking for events that wait, in all lanes at once. */
    enum PollResult {
        FOUND,
        EMPTY,
        /** The store did not answer. */
        FAILED
    }

    /** A running relay has looked for events; it does so many times a second. */
    default void polled(PollResult result, Duration took) {}

    /** The relay found out that it had lost a lane which it did not give up. */
    default void leaseLost(Lease lease) {}

    /** A write of the relay came too late and was refused. */
    default void fenceRejected(Lease lease) {}

    /** The broker does not answer; all lanes pause. */
    default void outageBegan(String reason) {}

    default void outageEnded(Duration duration) {}
}

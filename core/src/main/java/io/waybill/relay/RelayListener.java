package io.waybill.relay;

import io.waybill.Event;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives the activity of a relay, for metrics and logs. Methods are called on the threads of the relay and must return quickly. The
 * first exception is logged; exceptions do not affect the relay.
 */
public interface RelayListener {
    RelayListener NONE = new RelayListener() {};

    /** @param latency from the event's insert to the broker's acknowledgement */
    default void published(Event event, Duration latency) {}

    default void failed(Event event, Failure failure) {}

    /**
     * An attempt to publish an event has ended; for tracing. Called for every attempt, also for those that do not count.
     *
     * @param outcome {@link PublishOutcome.Released} if the event is sent again without a delay that is its own: the broker is down, or
     *     another event of the key failed
     * @param failure null if the broker has acknowledged the event, or the event was not passed to the transport
     * @param took time that the transport needed
     */
    default void attempted(PublishOutcome outcome, @Nullable Failure failure, Duration took) {}

    default void deadLettered(Event event, String reason) {}

    default void batch(int size) {}

    /** The result of one poll of all lanes. */
    enum PollResult {
        FOUND,
        EMPTY,
        /** The store did not answer. */
        FAILED
    }

    /** The relay has polled its lanes for events. Called many times per second. */
    default void polled(PollResult result, Duration took) {}

    /** Another relay owns a lane that this relay did not release. */
    default void leaseLost(Lease lease) {}

    /** The store rejected a late write of this relay, because the lane has another owner. */
    default void fenceRejected(Lease lease) {}

    /** The broker does not answer. All lanes pause. */
    default void outageBegan(String reason) {}

    default void outageEnded(Duration duration) {}
}

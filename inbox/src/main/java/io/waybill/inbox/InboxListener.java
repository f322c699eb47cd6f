package io.waybill.inbox;

import io.waybill.Event;
import java.time.Duration;

/** Receives the activity of an inbox, for metrics and logs. Methods are called on the threads that handle events and must return quickly. */
public interface InboxListener {
    InboxListener NONE = new InboxListener() {};

    /** @param took time from the call to the commit */
    default void handled(Event event, InboxOutcome outcome, Duration took) {}

    /** A message could not be read. It is a dead letter now, or already was one. */
    default void poison(ReceivedMessage message, String reason) {}

    default void failed(Event event, FailureKind verdict, Throwable cause) {}

    /** Consumption pauses. */
    default void outageBegan(String reason) {}

    default void outageEnded(Duration duration) {}
}

package io.waybill.inbox;

import io.waybill.Event;
import java.time.Duration;

/** Hears what an inbox does, for metrics and logs. Called on the threads that handle events: return at once, throw nothing. */
public interface InboxListener {
    InboxListener NONE = new InboxListener() {};

    /** @param took from the call to the commit */
    default void handled(Event event, InboxOutcome outcome, Duration took) {}

    /** A message that could not be read; it is a dead letter now, or was one already. */
    default void poison(ReceivedMessage message, String reason) {}

    default void failed(Event event, FailureKind verdict, Throwable cause) {}

    /** Consumption pauses. */
    default void outageBegan(String reason) {}

    default void outageEnded(Duration duration) {}
}

package io.waybill.inbox;

import io.waybill.Event;
import org.jspecify.annotations.Nullable;

/** Traces the attempts of a group to apply events. Exceptions of a tracer are logged; they do not affect the events. */
@FunctionalInterface
public interface InboxTracer {
    InboxTracer NONE = (message, event, failures) -> Attempt.NONE;

    /**
     * Prepares an attempt. It begins with {@link Attempt#enter}, or never.
     *
     * @param failures number of failed attempts before this one
     */
    Attempt attempt(ReceivedMessage message, Event event, int failures);

    /** One attempt to apply an event. Its methods are called in the order in which they are declared, on one thread. */
    interface Attempt {
        Attempt NONE = new Attempt() {};

        /**
         * The attempt begins on this thread.
         *
         * @return is run when the thread has finished its work on the event
         */
        default Runnable enter() {
            return () -> {};
        }

        /** Returns the event as the handler receives it. A tracer may replace the headers from which follow-up events inherit. */
        default Event handed(Event event) {
            return event;
        }

        /**
         * The attempt has ended.
         *
         * @param outcome null if nothing was recorded: the event is handled again
         * @param cause the error of the handler or of the database, if there was one
         */
        default void ended(@Nullable InboxOutcome outcome, @Nullable Throwable cause) {}
    }
}

package io.waybill.transport;

/** Receives the result of a message, exactly once. May be called on a thread of the transport and must return quickly. */
public interface Delivery {
    /** The broker has stored the message, as durably as its configuration specifies. */
    void acknowledged();

    void failed(Failure failure);
}

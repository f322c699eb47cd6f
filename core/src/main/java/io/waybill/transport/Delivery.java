package io.waybill.transport;

/** Told once what became of a message; may be called on a thread of the transport and must return at once. */
public interface Delivery {
    /** The broker has the message durably, as durably as its own configuration makes it. */
    void acknowledged();

    void failed(Failure failure);
}

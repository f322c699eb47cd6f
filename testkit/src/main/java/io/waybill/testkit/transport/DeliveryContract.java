package io.waybill.testkit.transport;

/** The tests of {@link TransportContract} that need no outage. They are the short form for further versions of a broker. */
public abstract class DeliveryContract extends TransportFixture implements DeliveryTests {}

package io.waybill.testkit.transport;

/**
 * The behaviour of a transport that a relay relies on, with a broker that works and with a broker that is killed, frozen or slow. To
 * test a transport, write a class that extends this one and implement {@link #startBroker()}, which starts a real broker behind a
 * proxy and connects the transport under test to it. {@link SendInOrderContract} is extended in the same way.
 */
public abstract class TransportContract extends TransportFixture implements DeliveryTests, OutageTests {}

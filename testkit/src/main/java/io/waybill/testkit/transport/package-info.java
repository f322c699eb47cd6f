/** Tests of transports against real brokers: {@link io.waybill.testkit.transport.TransportContract} and {@link io.waybill.testkit.transport.SendInOrderContract}. */
@NullMarked
package io.waybill.testkit.transport;

import org.jspecify.annotations.NullMarked;

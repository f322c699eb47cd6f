/** What every transport must do, shown against its real broker: {@link io.waybill.testkit.transport.TransportContract}. */
@NullMarked
package io.waybill.testkit.transport;

import org.jspecify.annotations.NullMarked;

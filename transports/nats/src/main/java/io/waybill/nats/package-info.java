/** NATS JetStream: {@link io.waybill.nats.NatsTransport} for relays, {@link io.waybill.nats.NatsInbox} for consumers. */
@NullMarked
package io.waybill.nats;

import org.jspecify.annotations.NullMarked;

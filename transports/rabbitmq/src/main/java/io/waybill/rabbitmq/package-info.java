/** RabbitMQ: {@link io.waybill.rabbitmq.RabbitTransport} for relays, {@link io.waybill.rabbitmq.RabbitInbox} for consumers. */
@NullMarked
package io.waybill.rabbitmq;

import org.jspecify.annotations.NullMarked;

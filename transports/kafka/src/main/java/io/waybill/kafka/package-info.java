/** Apache Kafka: {@link io.waybill.kafka.KafkaTransport} for relays, {@link io.waybill.kafka.KafkaInbox} for consumers. */
@NullMarked
package io.waybill.kafka;

import org.jspecify.annotations.NullMarked;

/** Sends events to Apache Kafka: {@link io.waybill.kafka.KafkaTransport}. */
@NullMarked
package io.waybill.kafka;

import org.jspecify.annotations.NullMarked;

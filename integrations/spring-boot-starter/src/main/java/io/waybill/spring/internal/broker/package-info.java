/** Kafka, RabbitMQ and NATS in a Spring Boot application: which of them is used, and how its clients connect. Not an API. */
@NullMarked
package io.waybill.spring.internal.broker;

import org.jspecify.annotations.NullMarked;

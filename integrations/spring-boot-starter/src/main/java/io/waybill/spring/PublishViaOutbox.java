package io.waybill.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class of application events. Publishing such an event ({@code ApplicationEventPublisher}, Spring Data's {@code
 * @DomainEvents}) also appends it to the outbox, in the same transaction; without a transaction, publishing fails. The object becomes
 * the payload; of an {@code ApplicationEvent}, its source and timestamp are left out.
 *
 * <pre>{@code
 * @PublishViaOutbox(type = "order.placed", aggregate = "Order", key = "orderId")
 * record OrderPlaced(long orderId, BigDecimal total) {}
 * }</pre>
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PublishViaOutbox {
    /** The event's type. */
    String type();

    /** The kind of aggregate that the event is about. */
    String aggregate();

    /** The aggregate's id: a property of the event, or any other SpEL expression on it. */
    String key();

    /** The aggregate's version: a property or SpEL expression. Events have no version by default. */
    String aggregateVersion() default "";

    /** Version of the payload's schema. */
    int version() default 1;

    /** The topic, if it is not the event's type. */
    String topic() default "";
}

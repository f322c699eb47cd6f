package io.waybill.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On the class of an application event: publishing it ({@code ApplicationEventPublisher}, Spring Data's {@code @DomainEvents})
 * also appends it to the outbox, in the same transaction; without one, publishing fails. The object becomes the payload; of an
 * {@code ApplicationEvent}, everything but its source and timestamp.
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

    /** Where the aggregate's id is found: a property of the event, or any other expression (SpEL) on it. */
    String key();

    /** Where the aggregate's version is found; none unless set. */
    String aggregateVersion() default "";

    /** Version of the payload's schema. */
    int version() default 1;

    /** Where the event goes when that is not its type. */
    String topic() default "";
}

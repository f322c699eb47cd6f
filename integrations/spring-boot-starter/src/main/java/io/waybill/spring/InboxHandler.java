package io.waybill.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Handles events of these types, each once per consumer group. What the handler writes commits together with the mark that the
 * event was handled, or not at all: it runs inside a Spring transaction, which repositories and {@link TransactionalOutbox} join.
 *
 * <p>On a method of a bean, whose parameters may be the {@link io.waybill.Event}, its payload (any other type, read from JSON; a
 * {@code String} is the text) and the {@code java.sql.Connection}; or on a bean that is an {@code io.waybill.inbox.Handler<Connection>},
 * at its class or its {@code @Bean} method. Several handlers of one type run one after the other in one transaction, in the order of
 * their {@code @Order}: all of them take effect, or none. An exception rolls everything back and the event is tried again later; a
 * {@link io.waybill.inbox.PermanentException} makes it a dead letter at once.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface InboxHandler {
    /** The types of events to handle. */
    String[] value();
}

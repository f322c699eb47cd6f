package io.waybill.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Handles events of these types, each once per consumer group. The handler runs inside a Spring transaction, which repositories and
 * {@link TransactionalOutbox} join: its changes commit together with the mark that the event was handled, or not at all.
 *
 * <p>Use it on a method of a bean. The parameters of the method can be the {@link io.waybill.Event}, its payload (any other type,
 * read from JSON; a {@code String} receives the text) and the {@code java.sql.Connection}, or with MongoDB the {@code ClientSession}. Or
 * use it on a bean that is an {@code io.waybill.inbox.Handler<Connection>} (with MongoDB a {@code Handler<ClientSession>}), on its class
 * or its {@code @Bean} method.
 *
 * <p>Several handlers of one type run one after the other in one transaction, in the order of their {@code @Order}: all of them take
 * effect, or none. An exception rolls the transaction back, and the event is retried later; a {@link
 * io.waybill.inbox.PermanentException} makes it a dead letter at once.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface InboxHandler {
    /** The types of events to handle. */
    String[] value();

    /**
     * Time limit of the handler's statements, such as {@code 10s}, instead of {@code spring.transaction.default-timeout}. It works
     * as the timeout of {@code @Transactional}: a statement that still runs at the limit, or begins later, fails.
     */
    String timeout() default "";

    /** Attempts before an event of these types becomes a dead letter, instead of {@code waybill.inbox.retry.max-attempts}. */
    int maxAttempts() default 0;

    /**
     * Delay after the first failure of an event of these types, such as {@code 500ms}, instead of {@code
     * waybill.inbox.retry.first-delay}. The delay doubles with each further failure, up to {@code waybill.inbox.retry.longest-delay}. A
     * first delay above that limit is used for all attempts.
     */
    String backoff() default "";
}

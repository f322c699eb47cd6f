package io.waybill.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Use with {@code @SpringBootTest}. Provides {@link AppendedEvents}, and disables relay, inbox and saga engine, so that appended
 * events stay in the outbox, where the test can see them. When the test calls them, {@link EventDelivery} delivers events to the
 * handlers, and {@link SagaDriver} runs sagas.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import({AppendedEvents.class, EventDelivery.class, SagaDriver.class})
@TestPropertySource(
        properties = {"waybill.relay.enabled=false", "waybill.inbox.enabled=false", "waybill.saga.enabled=false"})
public @interface WaybillTest {}

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
 * Beside {@code @SpringBootTest}: gives the test {@link AppendedEvents}, and keeps relay and inbox from running, so that what was
 * appended stays where the test can see it; {@link EventDelivery} hands it to the handlers when the test says so.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import({AppendedEvents.class, EventDelivery.class})
@TestPropertySource(properties = {"waybill.relay.enabled=false", "waybill.inbox.enabled=false"})
public @interface WaybillTest {}

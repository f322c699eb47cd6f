package io.waybill.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/** {@link WaybillTest} for a slice such as {@code @JdbcTest} or {@code @DataJpaTest}, which otherwise has no outbox. */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@WaybillTest
@ImportAutoConfiguration
public @interface AutoConfigureWaybill {}

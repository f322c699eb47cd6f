package io.waybill.examples.quality.web;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Text that is not blank, not too long, and that PostgreSQL can store: no NUL and no unpaired surrogate. */
@Documented
@Constraint(validatedBy = TextValidator.class)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
public @interface Text {
    int max();

    String message() default "must be text of 1 to {max} characters, not blank, without NUL";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};
}

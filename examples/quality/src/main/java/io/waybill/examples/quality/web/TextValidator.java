package io.waybill.examples.quality.web;

import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Validates {@link Text}. */
public final class TextValidator implements ConstraintValidator<Text, String> {
    private int max;

    @Override
    public void initialize(Text rule) {
        max = rule.max();
    }

    @Override
    public boolean isValid(@Nullable String text, ConstraintValidatorContext context) {
        return text != null
                && !text.isBlank()
                && text.length() <= max
                && text.indexOf('\0') < 0
                && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}

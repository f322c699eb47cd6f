package io.waybill.examples.logistics.orders;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

record Address(
        @NotBlank @Size(max = 200) @Pattern(regexp = NewOrder.TEXT, message = NewOrder.TEXT_RULE)
        String street,

        @NotBlank @Size(max = 20) @Pattern(regexp = NewOrder.TEXT, message = NewOrder.TEXT_RULE)
        String number,

        @Size(max = 20) @Pattern(regexp = NewOrder.TEXT, message = NewOrder.TEXT_RULE) @Nullable
        String unit,

        @NotBlank @Size(max = 100) @Pattern(regexp = NewOrder.TEXT, message = NewOrder.TEXT_RULE)
        String city,

        @NotBlank @Size(max = 20) @Pattern(regexp = NewOrder.TEXT, message = NewOrder.TEXT_RULE)
        String postalCode,

        @NotNull @Pattern(regexp = "[A-Z]{2}", message = "must be two capital letters, such as DE")
        String countryCode) {}

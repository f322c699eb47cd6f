package io.waybill.examples.logistics.orders;

import jakarta.validation.Valid;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** @param freight divided among the parcels by weight, if there are any */
record NewOrder(
        @NotBlank @Size(max = 200) @Pattern(regexp = TEXT, message = TEXT_RULE)
        String customerName,

        @NotNull @Valid Address deliveryAddress,
        @Valid @Nullable Money freight,
        @Size(max = 100) @Nullable List<@NotNull @Valid Parcel> parcels) {
    /** Text without control characters and unpaired surrogates, which databases and brokers cannot carry. */
    static final String TEXT = "[^\\p{Cntrl}\\p{Cs}]*";

    static final String TEXT_RULE = "must not contain control characters or unpaired surrogates";

    record Parcel(@Positive @Max(100_000_000) long weightGrams) {}

    /** Returns the weights of the parcels, in grams. */
    List<Long> weights() {
        return parcels == null
                ? List.of()
                : parcels.stream().map(Parcel::weightGrams).toList();
    }

    @AssertTrue(message = "freight must be given if there are parcels")
    boolean isFreightGiven() {
        return freight != null || weights().isEmpty();
    }
}

package io.waybill.examples.polyshop.order;

import java.util.List;
import org.jspecify.annotations.Nullable;

record Address(
        @Nullable String line1,
        @Nullable String line2,
        @Nullable String city,
        @Nullable String state,
        @Nullable String postalCode,
        @Nullable String country) {

    void check(String field, List<String> problems) {
        required(field + ".line1", line1, problems);
        optional(field + ".line2", line2, problems);
        required(field + ".city", city, problems);
        optional(field + ".state", state, problems);
        required(field + ".postalCode", postalCode, problems);
        required(field + ".country", country, problems);
    }

    private static void required(String field, @Nullable String text, List<String> problems) {
        if (text == null || text.isBlank()) {
            problems.add(field + " is missing");
        }
        optional(field, text, problems);
    }

    private static void optional(String field, @Nullable String text, List<String> problems) {
        if (text != null && (text.length() > 200 || text.matches("(?s).*[\\p{Cntrl}\\p{Cs}].*"))) {
            problems.add(field + " must have up to 200 characters and no control characters");
        }
    }
}

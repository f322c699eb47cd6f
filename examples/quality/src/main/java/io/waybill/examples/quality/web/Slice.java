package io.waybill.examples.quality.web;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;

/**
 * Which part of a list a request asks for.
 *
 * @param limit most entries to return; 20 unless given
 * @param offset how many to pass over; none unless given
 */
public record Slice(
        @Nullable @Min(1) @Max(100) Integer limit,
        @Nullable @Min(0) @Max(1_000_000) Integer offset) {
    private static final int DEFAULT_LIMIT = 20;
    private static final String TOTAL = "X-Total-Count";

    public int rows() {
        return limit == null ? DEFAULT_LIMIT : limit;
    }

    public int skipped() {
        return offset == null ? 0 : offset;
    }

    /** The part as the body, and how long the whole is as a header. */
    public static <T> ResponseEntity<List<T>> answer(List<T> part, long total) {
        return ResponseEntity.ok().header(TOTAL, Long.toString(total)).body(part);
    }
}

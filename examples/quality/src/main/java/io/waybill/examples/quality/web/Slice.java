package io.waybill.examples.quality.web;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;

/**
 * The part of a list that a request asks for.
 *
 * @param limit largest number of entries to return; 20 by default
 * @param offset number of entries to skip; 0 by default
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

    /** Returns the part as the body, and the length of the whole list as a header. */
    public static <T> ResponseEntity<List<T>> answer(List<T> part, long total) {
        return ResponseEntity.ok().header(TOTAL, Long.toString(total)).body(part);
    }
}

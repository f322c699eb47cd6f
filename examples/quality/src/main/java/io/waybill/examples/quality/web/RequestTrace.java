package io.waybill.examples.quality.web;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Identifies a request, from its log lines to the audit rows of its changes.
 *
 * @param id the client's {@code X-Request-Id}, or a generated one
 * @param traceparent the client's trace context, or a new one
 */
public record RequestTrace(String id, String traceparent) {
    static final String ATTRIBUTE = RequestTrace.class.getName();

    private static final Pattern SAFE_ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
    /** W3C trace context, version 00; neither id may be zero. */
    private static final Pattern TRACEPARENT =
            Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Keeps well-formed values and replaces all others, because they are written to logs and rows. */
    static RequestTrace of(@Nullable String id, @Nullable String traceparent) {
        return new RequestTrace(
                id != null && SAFE_ID.matcher(id).matches()
                        ? id
                        : UUID.randomUUID().toString(),
                traceparent != null && TRACEPARENT.matcher(traceparent).matches() ? traceparent : begun());
    }

    /** Returns the trace of the request that this thread handles. */
    public static Optional<RequestTrace> current() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request == null
                ? Optional.empty()
                : Optional.ofNullable((RequestTrace) request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST));
    }

    private static String begun() {
        return "00-" + hex(16) + "-" + hex(8) + "-01";
    }

    private static String hex(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        bytes[0] |= 1; // never zero
        return HexFormat.of().formatHex(bytes);
    }
}

package io.waybill.examples.polyshop.service;

import io.waybill.WaybillException;
import java.util.List;

/** A request that is answered with an error. */
public final class ApiException extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final List<String> details;

    /** @param code the code by which programs distinguish errors, such as {@code INSUFFICIENT_STOCK} */
    public ApiException(int status, String code, String message) {
        this(status, code, message, List.of());
    }

    public ApiException(int status, String code, String message, List<String> details) {
        super(message);
        this.status = status;
        this.code = code;
        this.details = List.copyOf(details);
    }

    public static ApiException badRequest(String message) {
        return new ApiException(400, "BAD_REQUEST", message);
    }

    public static ApiException invalid(List<String> problems) {
        return new ApiException(400, "VALIDATION_FAILED", "The request is invalid.", problems);
    }

    public static ApiException notFound(String message) {
        return new ApiException(404, "NOT_FOUND", message);
    }

    public static ApiException conflict(String code, String message) {
        return new ApiException(409, code, message);
    }

    public static ApiException unauthorized(String message) {
        return new ApiException(401, "UNAUTHORIZED", message);
    }

    public static ApiException forbidden() {
        return new ApiException(403, "FORBIDDEN", "Your role does not allow this request.");
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public List<String> details() {
        return details;
    }
}

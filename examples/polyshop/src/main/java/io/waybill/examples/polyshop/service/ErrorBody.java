package io.waybill.examples.polyshop.service;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The body of every error of every service. */
public record ErrorBody(
        String timestamp,
        int status,
        String error,
        String code,
        String message,
        String path,
        String requestId,
        List<String> details) {

    public static ErrorBody of(ApiException problem, String path, String requestId) {
        return new ErrorBody(
                Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
                problem.status(),
                reason(problem.status()),
                problem.code(),
                String.valueOf(problem.getMessage()),
                path,
                requestId,
                problem.details());
    }

    private static String reason(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 409 -> "Conflict";
            case 413 -> "Content Too Large";
            case 415 -> "Unsupported Media Type";
            case 422 -> "Unprocessable Content";
            case 429 -> "Too Many Requests";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            default -> "Internal Server Error";
        };
    }
}

package io.waybill.examples.logistics.web;

import io.waybill.examples.logistics.LogisticsProperties;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Writes a problem detail for the errors that {@link Problems} cannot see: those of filters, and unexpected ones. */
@RestController
class ErrorRoute implements ErrorController {
    private final LogisticsProperties settings;

    ErrorRoute(LogisticsProperties settings) {
        this.settings = settings;
    }

    @RequestMapping("${server.error.path:/error}")
    ProblemDetail error(HttpServletRequest request) {
        HttpStatus status = status(request);
        ProblemDetail problem = ProblemDetail.forStatus(status);
        problem.setDetail(detail(status));
        if (request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String path) {
            problem.setInstance(URI.create(path.replaceFirst("^/+", "/"))); // "//" is a path, but no URI
        }
        return problem;
    }

    private static HttpStatus status(HttpServletRequest request) {
        HttpStatus status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
                ? HttpStatus.resolve(code)
                : null;
        return status == null ? HttpStatus.INTERNAL_SERVER_ERROR : status;
    }

    private @Nullable String detail(HttpStatus status) {
        return switch (status) {
            case UNAUTHORIZED -> "The request needs the name and the password of a user (HTTP Basic).";
            case FORBIDDEN -> "The role of the user does not allow this request, or there is no such endpoint.";
            case LENGTH_REQUIRED -> "The request needs the header Content-Length.";
            case CONTENT_TOO_LARGE ->
                "The body is larger than " + settings.maxBody().toBytes() + " bytes.";
            case INTERNAL_SERVER_ERROR -> "The request failed. The log of the service has the reason.";
            default -> null;
        };
    }
}

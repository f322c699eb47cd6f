package io.waybill.examples.quality.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes errors as problem details (RFC 9457), also from filters, which run before any message converter. */
@Component
public class Problems {
    private final JsonMapper json;

    Problems(JsonMapper json) {
        this.json = json;
    }

    public static ProblemDetail of(HttpStatus status, String detail) {
        return ProblemDetail.forStatusAndDetail(status, detail);
    }

    static ProblemDetail tooLarge(BodyTooLargeException e) {
        return of(HttpStatus.CONTENT_TOO_LARGE, String.valueOf(e.getMessage()));
    }

    public void write(HttpServletRequest request, HttpServletResponse response, ProblemDetail problem)
            throws IOException {
        problem.setInstance(URI.create(request.getRequestURI()));
        response.setStatus(problem.getStatus());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.getOutputStream().write(json.writeValueAsString(problem).getBytes(StandardCharsets.UTF_8));
    }
}

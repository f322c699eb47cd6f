package io.waybill.examples.quality.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.header.HeaderWriter;

/** Allows no inline content and no foreign sources, except for the inline styles and data URLs of the Swagger page. */
final class ContentSecurityPolicy implements HeaderWriter {
    private static final String STRICT =
            "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';" + " frame-ancestors 'none'";
    private static final String SWAGGER = STRICT + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        boolean swagger = request.getRequestURI().startsWith("/swagger-ui/");
        response.setHeader("Content-Security-Policy", swagger ? SWAGGER : STRICT);
    }
}

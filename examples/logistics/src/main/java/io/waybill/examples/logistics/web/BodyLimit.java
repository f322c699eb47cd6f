package io.waybill.examples.logistics.web;

import io.waybill.examples.logistics.LogisticsProperties;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses large request bodies, and bodies of unknown length. */
@Component
class BodyLimit extends OncePerRequestFilter {
    private static final Set<String> WITH_BODY = Set.of("POST", "PATCH", "PUT");

    private final long most;

    BodyLimit(LogisticsProperties settings) {
        this.most = settings.maxBody().toBytes();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        long length = request.getContentLengthLong();
        boolean chunked = request.getHeader("Transfer-Encoding") != null;
        if (chunked && WITH_BODY.contains(request.getMethod())) {
            response.sendError(HttpServletResponse.SC_LENGTH_REQUIRED);
        } else if (length > most) {
            response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
        } else {
            chain.doFilter(request, response);
        }
    }
}

package io.waybill.examples.quality.web;

import io.waybill.Headers;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.MDC;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Sets the {@link RequestTrace} of every request, before any other filter can refuse it, and returns it in the response. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class RequestTraceFilter extends OncePerRequestFilter {
    private static final String REQUEST_ID = "X-Request-Id";

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RequestTrace trace = RequestTrace.of(request.getHeader(REQUEST_ID), request.getHeader(Headers.TRACEPARENT));
        request.setAttribute(RequestTrace.ATTRIBUTE, trace);
        response.setHeader(REQUEST_ID, trace.id());
        response.setHeader(Headers.TRACEPARENT, trace.traceparent());
        MDC.put("request_id", trace.id());
        try {
            chain.doFilter(request, response);
        } finally {
            MDC.remove("request_id");
        }
    }
}

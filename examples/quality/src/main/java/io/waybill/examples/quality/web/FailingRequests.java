package io.waybill.examples.quality.web;

import io.waybill.examples.quality.QualityProperties;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Answers requests with 500 on purpose ({@code quality.chaos.fail-every-request}), to trigger an alert. Excludes monitoring endpoints. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 3)
class FailingRequests extends OncePerRequestFilter {
    private final int every;
    private final Problems problems;
    private final AtomicLong requests = new AtomicLong();

    FailingRequests(QualityProperties properties, Problems problems) {
        this.every = properties.chaos().failEveryRequest();
        this.problems = problems;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return every == 0 || request.getRequestURI().matches("/(metrics|health|healthz|readyz)");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (requests.incrementAndGet() % every == 0) {
            String detail = "quality.chaos.fail-every-request is " + every + ".";
            problems.write(request, response, Problems.of(HttpStatus.INTERNAL_SERVER_ERROR, detail));
        } else {
            chain.doFilter(request, response);
        }
    }
}

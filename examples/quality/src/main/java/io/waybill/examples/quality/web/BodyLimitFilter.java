package io.waybill.examples.quality.web;

import io.waybill.examples.quality.QualityProperties;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;
import org.springframework.web.filter.OncePerRequestFilter;

/** Limits the size of request bodies, by the declared length and by the bytes that are read. */
@Component
class BodyLimitFilter extends OncePerRequestFilter {
    private final DataSize limit;
    private final Problems problems;

    BodyLimitFilter(QualityProperties properties, Problems problems) {
        this.limit = properties.maxBody();
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getContentLengthLong() > limit.toBytes()) {
            problems.write(request, response, Problems.tooLarge(new BodyTooLargeException(limit)));
        } else {
            chain.doFilter(
                    new HttpServletRequestWrapper(request) {
                        @Override
                        public ServletInputStream getInputStream() throws IOException {
                            return new BoundedInput(super.getInputStream(), limit);
                        }
                    },
                    response);
        }
    }
}

package io.waybill.examples.quality.web;

import io.waybill.examples.quality.QualityProperties;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Accepts requests to the loopback names of this machine and to the names in {@code quality.hosts}; refuses all others.
 *
 * <p>A foreign site can let its own name resolve to 127.0.0.1 after a browser has loaded its page (DNS rebinding). For the browser,
 * this service then has the same origin as that page. The Host header still has the foreign name.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
class HostFilter extends OncePerRequestFilter {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");

    private final Set<String> names;
    private final Problems problems;

    HostFilter(QualityProperties properties, Problems problems) {
        this.names = properties.hosts().stream().map(HostFilter::lower).collect(Collectors.toSet());
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (known(request.getHeader(HttpHeaders.HOST))) {
            chain.doFilter(request, response);
        } else {
            String detail =
                    "This service does not answer to the name in the Host header. Use 127.0.0.1 or localhost, or"
                            + " add the name to quality.hosts.";
            problems.write(request, response, Problems.of(HttpStatus.MISDIRECTED_REQUEST, detail));
        }
    }

    private boolean known(@Nullable String host) {
        if (host == null) {
            return false;
        }
        String name = PORT.matcher(lower(host)).replaceFirst("");
        return LOOPBACK.matcher(name).matches() || names.contains(name);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}

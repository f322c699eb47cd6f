package io.waybill.examples.quality.web;

import io.waybill.Headers;
import io.waybill.spring.EventHeaders;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/** Adds the trace and the user of the request to every event that it appends. */
@Component
class RequestHeaders implements EventHeaders {
    @Override
    public Map<String, String> current() {
        Map<String, String> headers = new TreeMap<>();
        RequestTrace.current().ifPresent(trace -> {
            headers.put(Headers.CORRELATION_ID, trace.id());
            headers.put(Headers.TRACEPARENT, trace.traceparent());
        });
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        if (user != null) {
            headers.put(Headers.USER_ID, user.getName());
        }
        return headers;
    }
}

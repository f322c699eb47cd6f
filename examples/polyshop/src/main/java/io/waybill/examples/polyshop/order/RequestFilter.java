package io.waybill.examples.polyshop.order;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Caller;
import io.waybill.examples.polyshop.service.ErrorBody;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.RequestContext;
import io.waybill.examples.polyshop.service.Tokens;
import io.waybill.examples.polyshop.service.Tracing;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Gives each request an id, a span and a caller, and answers errors. All routes but health and metrics need a token. */
@Component
class RequestFilter extends OncePerRequestFilter {
    private static final Logger LOG = LoggerFactory.getLogger(RequestFilter.class);
    private static final Set<String> PUBLIC = Set.of("/health", "/metrics");
    private static final String REQUEST_ID = "X-Request-Id";
    private static final long LARGEST_BODY = 100_000;

    private final Tokens tokens;
    private final Tracing tracing;

    RequestFilter(Tokens tokens, Tracing tracing) {
        this.tokens = tokens;
        this.tracing = tracing;
    }

    @Override
    @SuppressWarnings("try") // the scope is closed, and not used otherwise
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String id = RequestContext.requestId(request.getHeader(REQUEST_ID));
        response.setHeader(REQUEST_ID, id);
        if (PUBLIC.contains(request.getRequestURI())) {
            chain.doFilter(request, response);
            return;
        }
        Span span = tracing.received(request.getMethod() + " /orders", request::getHeader);
        try (Scope ignored = span.makeCurrent()) {
            String trace = span.getSpanContext().getTraceId();
            RequestContext.enter(id, trace, Caller.ANONYMOUS, null);
            Caller caller = tokens.check(request.getHeader("Authorization"));
            RequestContext.enter(id, trace, caller, request.getHeader("Idempotency-Key"));
            request.setAttribute("caller", caller);
            if (request.getContentLengthLong() > LARGEST_BODY
                    || (request.getContentLengthLong() < 0 && request.getHeader("Transfer-Encoding") != null)) {
                throw new ApiException(413, "TOO_LARGE", "The body may have up to " + LARGEST_BODY + " bytes.");
            }
            chain.doFilter(request, response);
        } catch (ApiException e) {
            answer(request, response, e);
        } catch (ServletException e) {
            answer(request, response, problem(e.getCause() == null ? e : e.getCause()));
        } finally {
            RequestContext.leave();
            Tracing.ended(span, response.getStatus());
        }
    }

    static void answer(HttpServletRequest request, HttpServletResponse response, ApiException problem)
            throws IOException {
        response.setStatus(problem.status());
        response.setContentType("application/json; charset=utf-8");
        response.getWriter()
                .write(Json.write(ErrorBody.of(
                        problem, request.getRequestURI(), String.valueOf(response.getHeader(REQUEST_ID)))));
    }

    /** Returns the error for the client. */
    static ApiException problem(Throwable failure) {
        if (failure instanceof org.springframework.web.servlet.resource.NoResourceFoundException) {
            return ApiException.notFound("There is no resource at this path.");
        }
        if (failure instanceof MissingRequestHeaderException
                || failure instanceof org.springframework.beans.TypeMismatchException
                || failure instanceof org.springframework.http.converter.HttpMessageNotReadableException) {
            return ApiException.badRequest("The request is malformed.");
        }
        if (failure instanceof org.springframework.web.ErrorResponse refused
                && refused.getStatusCode().is4xxClientError()) {
            return new ApiException(
                    refused.getStatusCode().value(), "REFUSED", "The request is not one that this service accepts.");
        }
        ApiException problem = failure instanceof org.springframework.dao.DataAccessException
                        || failure instanceof org.springframework.transaction.TransactionException
                ? new ApiException(503, "DATABASE_UNAVAILABLE", "The service cannot use its database now. Retry.")
                : HttpApi.problem(failure);
        if (problem.status() >= 500) {
            LOG.error("Cannot answer a request", failure);
        }
        return problem;
    }
}

package io.waybill.examples.polyshop.service;

import static java.util.Objects.requireNonNull;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.waybill.WaybillException;
import io.waybill.inbox.IdempotencyKeys;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** The HTTP server of a service: routes with their access, error bodies, request ids and spans. Listens on 127.0.0.1. */
public final class HttpApi implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);
    private static final String JSON = "application/json; charset=utf-8";
    private static final String REQUEST_ID = "X-Request-Id";
    private static final int LARGEST_BODY = 100_000;

    /** Answers a request. */
    public interface Route {
        void handle(Context context, Caller caller) throws Exception;
    }

    private record Endpoint(HandlerType method, String path, Access access, Route route) {}

    private final Tracing tracing;
    private final @Nullable Tokens tokens;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private @Nullable Handler fallback;
    private @Nullable Javalin javalin;

    /** @param tokens null for a service all of whose routes are public */
    public HttpApi(Tracing tracing, @Nullable Tokens tokens) {
        this.tracing = tracing;
        this.tokens = tokens;
    }

    public HttpApi get(String path, Access access, Route route) {
        return on(HandlerType.GET, path, access, route);
    }

    public HttpApi post(String path, Access access, Route route) {
        return on(HandlerType.POST, path, access, route);
    }

    public HttpApi put(String path, Access access, Route route) {
        return on(HandlerType.PUT, path, access, route);
    }

    public HttpApi patch(String path, Access access, Route route) {
        return on(HandlerType.PATCH, path, access, route);
    }

    public HttpApi delete(String path, Access access, Route route) {
        return on(HandlerType.DELETE, path, access, route);
    }

    private HttpApi on(HandlerType method, String path, Access access, Route route) {
        endpoints.add(new Endpoint(method, path, access, route));
        return this;
    }

    /** Sets the handler of all requests for which there is no route. It writes the whole answer. */
    public HttpApi otherwise(Handler handler) {
        this.fallback = handler;
        return this;
    }

    /** @param port 0 for any free port */
    public void start(int port) {
        javalin = Javalin.create(this::configure).start("127.0.0.1", port);
    }

    public int port() {
        return requireNonNull(javalin, "not started").port();
    }

    private void configure(JavalinConfig config) {
        QueuedThreadPool threads = new QueuedThreadPool(16, 2);
        threads.setName("http");
        threads.setDaemon(true);
        config.jetty.threadPool = threads;
        config.jetty.modifyHttpConfiguration(http -> http.setSendServerVersion(false));
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.maxRequestSize = LARGEST_BODY;
        for (Endpoint endpoint : endpoints) {
            Handler handler = context -> answer(context, endpoint);
            switch (endpoint.method().name()) {
                case "GET" -> config.routes.get(endpoint.path(), handler);
                case "POST" -> config.routes.post(endpoint.path(), handler);
                case "PUT" -> config.routes.put(endpoint.path(), handler);
                case "PATCH" -> config.routes.patch(endpoint.path(), handler);
                default -> config.routes.delete(endpoint.path(), handler);
            }
        }
        Handler other = fallback;
        if (other != null) {
            for (String path : List.of("/", "/<path>")) {
                config.routes.get(path, other);
                config.routes.post(path, other);
                config.routes.put(path, other);
                config.routes.patch(path, other);
                config.routes.delete(path, other);
            }
        }
        config.routes.exception(Exception.class, (failure, context) -> refuse(context, failure));
        config.routes.error(404, context -> {
            if (context.attribute("answered") == null) {
                refuse(context, ApiException.notFound("There is no resource at this path."));
            }
        });
    }

    @SuppressWarnings("try") // the scope is closed, and not used otherwise
    private void answer(Context context, Endpoint endpoint) throws Exception {
        String requestId = RequestContext.requestId(context.header(REQUEST_ID));
        context.header(REQUEST_ID, requestId);
        context.attribute(REQUEST_ID, requestId);
        context.attribute("answered", true);
        if (endpoint.path().equals("/health") || endpoint.path().equals("/metrics")) {
            endpoint.route().handle(context, Caller.ANONYMOUS);
            return;
        }
        Span span = tracing.received(endpoint.method().name() + " " + endpoint.path(), context::header);
        try (Scope ignored = span.makeCurrent()) {
            String trace = span.getSpanContext().getTraceId();
            RequestContext.enter(requestId, trace, Caller.ANONYMOUS, null);
            Caller caller = caller(context, endpoint.access());
            RequestContext.enter(requestId, trace, caller, context.header("Idempotency-Key"));
            endpoint.access().require(caller);
            endpoint.route().handle(context, caller);
        } catch (Exception e) {
            refuse(context, e);
        } finally {
            RequestContext.leave();
            Tracing.ended(span, context.statusCode());
        }
    }

    private Caller caller(Context context, Access access) {
        if (access == Access.PUBLIC) {
            return Caller.ANONYMOUS;
        }
        return requireNonNull(tokens, "tokens").check(context.header("Authorization"));
    }

    private static void refuse(Context context, Exception failure) {
        ApiException problem = problem(failure);
        if (problem.status() >= 500) {
            LOG.error("Cannot answer {} {}", context.method(), context.path(), failure);
        }
        String requestId = context.attribute(REQUEST_ID);
        String known = requestId == null ? RequestContext.requestId(context.header(REQUEST_ID)) : requestId;
        context.header(REQUEST_ID, known);
        json(context, problem.status(), ErrorBody.of(problem, context.path(), known));
    }

    /** Returns the error for the client. The texts of unexpected errors stay in the log. */
    public static ApiException problem(Throwable failure) {
        if (failure instanceof ApiException known) {
            return known;
        }
        if (failure instanceof JacksonException) {
            return ApiException.badRequest("The body is not the JSON that this request needs.");
        }
        if (failure instanceof IdempotencyKeys.Conflict conflict) {
            return ApiException.conflict("IDEMPOTENCY_CONFLICT", String.valueOf(conflict.getMessage()));
        }
        if (failure instanceof io.javalin.http.HttpResponseException refused) {
            return new ApiException(refused.getStatus(), "REFUSED", String.valueOf(refused.getMessage()));
        }
        if (failure instanceof SQLException || failure instanceof WaybillException) {
            return new ApiException(503, "DATABASE_UNAVAILABLE", "The service cannot use its database now. Retry.");
        }
        return new ApiException(500, "INTERNAL", "Internal error. The log of the service has the request id.");
    }

    public static void json(Context context, int status, Object body) {
        context.status(status).contentType(JSON).result(Json.write(body));
    }

    /** Reads the body of a request. */
    public static <T> T body(Context context, Class<T> type) {
        T body = Json.read(context.body(), type);
        if (body == null) {
            throw ApiException.badRequest("The request needs a JSON body.");
        }
        return body;
    }

    /** Adds {@code GET /health}, which answers 200 or 503. */
    public HttpApi health(java.util.function.Supplier<Map<String, String>> problems) {
        return get("/health", Access.PUBLIC, (context, caller) -> {
            Map<String, String> found = problems.get();
            json(
                    context,
                    found.isEmpty() ? 200 : 503,
                    Map.of("status", found.isEmpty() ? "UP" : "DOWN", "details", found));
        });
    }

    @Override
    public void close() {
        if (javalin != null) {
            javalin.stop();
        }
    }
}

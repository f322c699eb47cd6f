package io.waybill.examples.polyshop.gateway;

import io.javalin.http.Context;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.waybill.examples.polyshop.service.Access;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Caller;
import io.waybill.examples.polyshop.service.ErrorBody;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.RequestContext;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.examples.polyshop.service.Tokens;
import io.waybill.examples.polyshop.service.Tracing;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway. Each request begins a trace here: a trace that the client names is not continued, because it would let clients write into
 * the traces of others.
 */
public final class GatewayService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayService.class);
    private static final List<String> FORWARDED =
            List.of("Authorization", "Content-Type", "Idempotency-Key", "Accept", "Stripe-Signature");
    private static final List<String> RETURNED = List.of("Content-Type", "Location", "Retry-After");
    private static final Set<String> REPEATABLE = Set.of("GET", "PUT");
    private static final List<Duration> RETRIES = List.of(Duration.ofMillis(250), Duration.ofMillis(500));
    private static final Duration CONNECT = Duration.ofMillis(500);

    private final ServiceSettings settings;
    private final Tracing tracing;
    private final Tokens tokens;
    private final RateLimit limit;
    private final Duration readTimeout;
    private final HttpApi http;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(CONNECT).build();
    private final Map<String, Breaker> breakers = new ConcurrentHashMap<>();

    public GatewayService(ServiceSettings settings) {
        this.settings = settings;
        this.tracing = Tracing.start(settings);
        this.tokens = Tokens.of(settings.jwksUrl());
        this.limit = new RateLimit(settings.number("RATE_LIMIT", 50));
        this.readTimeout = settings.duration("READ_TIMEOUT", Duration.ofSeconds(2));
        this.http = new HttpApi(tracing, null).health(Map::of).otherwise(this::answer);
    }

    public GatewayService start() {
        http.start(settings.port());
        LOG.info("The gateway listens on 127.0.0.1:{}", http.port());
        return this;
    }

    public int port() {
        return http.port();
    }

    @SuppressWarnings("try") // the scope is closed, and not used otherwise
    private void answer(Context context) {
        String id = RequestContext.requestId(context.header("X-Request-Id"));
        context.header("X-Request-Id", id);
        context.attribute("answered", true);
        Span span = tracing.received(context.method().name() + " " + context.path(), name -> null);
        context.header("X-Trace-Id", span.getSpanContext().getTraceId());
        try (Scope ignored = span.makeCurrent()) {
            RequestContext.enter(id, span.getSpanContext().getTraceId(), Caller.ANONYMOUS, null);
            forward(context, id);
        } catch (ApiException e) {
            HttpApi.json(context, e.status(), ErrorBody.of(e, context.path(), id));
        } finally {
            RequestContext.leave();
            Tracing.ended(span, context.statusCode());
        }
    }

    private void forward(Context context, String requestId) {
        String path = context.path();
        if (!limit.take(client(context), System.nanoTime())) {
            throw new ApiException(429, "TOO_MANY_REQUESTS", "You send too many requests. Wait a second.");
        }
        if (!path.matches("[A-Za-z0-9/._~-]{1,500}") || path.contains("..") || path.contains("//")) {
            throw ApiException.notFound("There is no resource at this path.");
        }
        Routes.Target target = Routes.find(context.method().name(), path)
                .orElseThrow(() -> ApiException.notFound("There is no resource at this path."));
        if (target.access() != Access.PUBLIC) {
            target.access().require(tokens.check(context.header("Authorization")));
        }
        String address = settings.find(target.service() + "_URL")
                .orElseThrow(() -> unavailable(target, "is not part of this installation"));
        String query = context.queryString() == null ? "" : "?" + context.queryString();
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(address + path + query))
                .timeout(readTimeout)
                .method(
                        context.method().name(),
                        context.bodyAsBytes().length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(context.bodyAsBytes()))
                .header("X-Request-Id", requestId);
        for (String name : FORWARDED) {
            String value = context.header(name);
            if (value != null) {
                request.header(name, value);
            }
        }
        HttpResponse<byte[]> response = send(context.method().name(), target, request);
        context.status(response.statusCode());
        for (String name : RETURNED) {
            response.headers().firstValue(name).ifPresent(value -> context.header(name, value));
        }
        context.result(response.body());
    }

    private static URI uri(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest("The query is malformed.");
        }
    }

    /** Identifies a client by its token, or by its address if it has none. */
    private static String client(Context context) {
        String token = context.header("Authorization");
        return token == null ? context.ip() : Integer.toString(token.hashCode());
    }

    /** Sends a request. Retries it if a repetition has no further effect; a POST is sent once. */
    @SuppressWarnings("try") // the scope is closed, and not used otherwise
    private HttpResponse<byte[]> send(String method, Routes.Target target, HttpRequest.Builder request) {
        Breaker breaker = breakers.computeIfAbsent(target.service(), service -> new Breaker());
        int attempts = REPEATABLE.contains(method) ? 1 + RETRIES.size() : 1;
        for (int attempt = 1; ; attempt++) {
            if (!breaker.allows(System.nanoTime())) {
                throw unavailable(target, "fails too often; retry in a few seconds");
            }
            Span span = tracing.sent(method + " " + target.service().toLowerCase(java.util.Locale.ROOT));
            int status = 599;
            try (Scope ignored = span.makeCurrent()) {
                tracing.events().currentHeaders().forEach(request::setHeader);
                HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                status = response.statusCode();
                boolean temporary = status == 502 || status == 503 || status == 504;
                breaker.record(!temporary, System.nanoTime());
                if (!temporary || attempt == attempts) {
                    return response;
                }
            } catch (IOException e) {
                breaker.record(false, System.nanoTime());
                LOG.warn("No answer from {}: {}", target.service(), e.toString());
                if (attempt == attempts) {
                    throw e instanceof HttpTimeoutException
                            ? new ApiException(504, "GATEWAY_TIMEOUT", name(target) + " did not answer in time.")
                            : unavailable(target, "cannot be reached");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw unavailable(target, "cannot be reached");
            } finally {
                Tracing.ended(span, status);
            }
            pause(RETRIES.get(attempt - 1));
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ApiException unavailable(Routes.Target target, String why) {
        return new ApiException(503, "SERVICE_UNAVAILABLE", name(target) + " " + why + ".");
    }

    private static String name(Routes.Target target) {
        return "The service " + target.service().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public void close() {
        http.close();
        tracing.close();
    }

    public static void main(String[] arguments) {
        new GatewayService(ServiceSettings.of("gateway", System.getenv())).start();
    }
}

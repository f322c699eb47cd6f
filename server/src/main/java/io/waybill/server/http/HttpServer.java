package io.waybill.server.http;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.ContentType;
import io.javalin.http.Context;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Serves health, metrics, status and the console page to clients on this host. Read-only. */
public final class HttpServer implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    /** The port that is used when none is configured and this one is free. */
    public static final int PREFERRED_PORT = 8_080;

    private final Javalin javalin;
    private final OutboxResources outboxes;
    private final String host;

    private HttpServer(Javalin javalin, OutboxResources outboxes, String host) {
        this.javalin = javalin;
        this.outboxes = outboxes;
        this.host = host;
    }

    /** @param port 0 for 8080, or any free port if 8080 is in use */
    public static HttpServer start(String host, int port, HttpContent content) {
        Loopback.require(host);
        if (port == 0) {
            try {
                return listen(host, PREFERRED_PORT, content);
            } catch (Problem taken) {
                return listen(host, 0, content);
            }
        }
        return listen(host, port, content);
    }

    private static HttpServer listen(String host, int port, HttpContent content) {
        OutboxResources outboxes = new OutboxResources(content.outboxes());
        Javalin javalin = Javalin.create(config -> configure(config, content, outboxes));
        try {
            return new HttpServer(javalin.start(host, port), outboxes, host);
        } catch (RuntimeException e) {
            javalin.stop();
            outboxes.close();
            for (Throwable t = e; t != null; t = t.getCause()) {
                if (t instanceof BindException) {
                    throw new Problem(
                            Exit.FAILED,
                            "Cannot listen on " + host + ":" + port
                                    + ": the port is in use. Choose another port with --http-port.",
                            e);
                }
            }
            throw e;
        }
    }

    private static void configure(JavalinConfig config, HttpContent content, OutboxResources outboxes) {
        QueuedThreadPool threads = new QueuedThreadPool(32, 2);
        threads.setName("waybill-http");
        threads.setDaemon(true);
        config.jetty.threadPool = threads;
        config.jetty.modifyHttpConfiguration(http -> http.setSendServerVersion(false));
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.maxRequestSize = 10_000;
        config.routes.before(RequestFilter::check);
        config.routes.get("/", context -> asset(context, "index.html", ContentType.TEXT_HTML));
        config.routes.get("/waybill.js", context -> asset(context, "waybill.js", ContentType.TEXT_JS));
        config.routes.get("/waybill.css", context -> asset(context, "waybill.css", ContentType.TEXT_CSS));
        config.routes.get(
                "/livez", context -> json(context, 200, JSON.createObjectNode().put("live", true)));
        config.routes.get("/readyz", context -> answer(context, outboxes::ready));
        config.routes.get(
                "/metrics",
                context -> context.contentType("text/plain; version=0.0.4; charset=utf-8")
                        .result(content.metrics().get()));
        config.routes.get("/api/status", context -> answer(context, outboxes::status));
        config.routes.error(404, context -> error(context, 404, "There is no resource at this path."));
        config.routes.exception(
                RequestFilter.Refused.class, (refused, context) -> error(context, refused.status(), refused.text()));
        config.routes.exception(
                Exception.class,
                (failure, context) -> error(context, 500, "Internal error. See the log of this process."));
    }

    private static void answer(Context context, Function<Optional<String>, OutboxResources.Answer> resource) {
        OutboxResources.Answer answer = resource.apply(Optional.ofNullable(context.queryParam("outbox")));
        json(context, answer.status(), answer.body());
    }

    private static void error(Context context, int status, String message) {
        json(context, status, JSON.createObjectNode().put("error", message));
    }

    private static void json(Context context, int status, ObjectNode body) {
        context.status(status).contentType("application/json; charset=utf-8").result(body.toString());
    }

    private static void asset(Context context, String name, ContentType type) {
        try (InputStream file = HttpServer.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException(name + " is missing from the jar");
            }
            context.contentType(type.getMimeType() + "; charset=utf-8").result(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String address() {
        String literal = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return "http://" + literal + ":" + javalin.port();
    }

    @Override
    public void close() {
        javalin.stop();
        outboxes.close();
    }
}

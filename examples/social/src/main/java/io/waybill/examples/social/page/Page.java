package io.waybill.examples.social.page;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.waybill.WaybillException;
import io.waybill.examples.social.SocialCommerce;
import io.waybill.examples.social.projection.Projector;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The page, on loopback only. It refuses requests for other host names, so that no site can read it through a name that resolves to
 * loopback, and commands without the header {@value #COMMAND_HEADER}, which no other site can send.
 */
public final class Page implements AutoCloseable {
    /** Must be present in commands. */
    public static final String COMMAND_HEADER = "X-Social-Command";

    private static final Logger LOG = LoggerFactory.getLogger(Page.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none';"
                    + " form-action 'none'; frame-ancestors 'none'";
    private static final Map<String, String> FILES = Map.of(
            "/", "index.html",
            "/page.js", "page.js",
            "/page.css", "page.css");

    private final SocialCommerce system;
    private final State state;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);

    private Page(SocialCommerce system, int port) throws IOException {
        this.system = system;
        this.state = new State(system);
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    }

    /** @param port 0 for any free port */
    public static Page start(SocialCommerce system, int port) throws IOException {
        Page page = new Page(system, port);
        page.server.setExecutor(page.threads);
        page.server.createContext("/", page::handle);
        page.server.start();
        return page;
    }

    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer;
            try {
                answer = answer(exchange);
            } catch (WaybillException e) {
                answer = Answer.json(400, Map.of("error", String.valueOf(e.getMessage())));
            } catch (RuntimeException e) {
                LOG.warn("A request of the page failed", e);
                answer = Answer.json(500, Map.of("error", "Internal error. See the log of this process."));
            }
            exchange.getResponseHeaders().set("Content-Type", answer.type() + "; charset=utf-8");
            exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(answer.status(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
        }
    }

    private record Answer(int status, String type, byte[] body) {
        static Answer json(int status, Object value) {
            return new Answer(
                    status, "application/json", JSON.writeValueAsString(value).getBytes(StandardCharsets.UTF_8));
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
        int port = server.getAddress().getPort();
        if (!List.of("127.0.0.1:" + port, "localhost:" + port).contains(host)) {
            return Answer.json(403, Map.of("error", "This page is served as " + address() + " only."));
        }
        String path = exchange.getRequestURI().getPath();
        String method = exchange.getRequestMethod();
        if (method.equals("GET") && path.equals("/api/state")) {
            return Answer.json(200, state.read());
        }
        String file = FILES.get(path);
        if (method.equals("GET") && file != null) {
            return file(file);
        }
        if (method.equals("POST") && (path.startsWith("/api/rebuild/") || path.startsWith("/api/backfill/"))) {
            return command(exchange, path);
        }
        return Answer.json(404, Map.of("error", "There is no resource at this path."));
    }

    private static Answer file(String name) throws IOException {
        try (InputStream content = Page.class.getResourceAsStream(name)) {
            if (content == null) {
                throw new IllegalStateException(name + " is missing from the jar");
            }
            String type = name.endsWith(".js") ? "text/javascript" : name.endsWith(".css") ? "text/css" : "text/html";
            return new Answer(200, type, content.readAllBytes());
        }
    }

    private Answer command(HttpExchange exchange, String path) {
        if (exchange.getRequestHeaders().getFirst(COMMAND_HEADER) == null) {
            return Answer.json(403, Map.of("error", "Commands need the header " + COMMAND_HEADER + "."));
        }
        Projector projector = system.projector(path.substring(path.lastIndexOf('/') + 1));
        if (path.startsWith("/api/rebuild/")) {
            projector.rebuild();
        } else {
            projector.backfill();
        }
        return Answer.json(200, Map.of("done", projector.name()));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

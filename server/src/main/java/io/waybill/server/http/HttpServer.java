package io.waybill.server.http;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.waybill.server.http.access.ClientAddress;
import io.waybill.server.http.access.OpenAccess;
import io.waybill.server.http.access.PasswordAccess;
import io.waybill.server.http.access.SessionRoutes;
import io.waybill.server.http.access.TokenAccess;
import io.waybill.server.http.access.UsersFile;
import io.waybill.server.http.api.Api;
import io.waybill.server.http.request.Authentication;
import io.waybill.server.http.request.HostNames;
import io.waybill.server.http.request.Mode;
import io.waybill.server.http.request.RequestRules;
import io.waybill.server.http.request.Routes;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.net.BindException;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** Serves the console, its API, health and metrics. An optional second server serves only health and metrics. */
public final class HttpServer implements AutoCloseable {
    /** The port that is used when none is configured and this one is free. */
    public static final int PREFERRED_PORT = 8_080;

    private static final int THREADS = 32;
    private static final int MOST_CONNECTIONS = 1_000;
    private static final int LARGEST_HEADERS = 16 * 1024;

    /** A connection ends when no byte arrives for this long. Streams write more often. */
    private static final long IDLE_MILLIS = 10_000;

    private final Javalin javalin;
    private final @Nullable Javalin probes;
    private final HttpOptions options;
    private final Routes routes;
    private final Api api;
    private final OutboxResources outboxes;

    private HttpServer(
            Javalin javalin,
            @Nullable Javalin probes,
            HttpOptions options,
            Routes routes,
            Api api,
            OutboxResources outboxes) {
        this.javalin = javalin;
        this.probes = probes;
        this.options = options;
        this.routes = routes;
        this.api = api;
        this.outboxes = outboxes;
    }

    /** @throws Problem if the port is in use */
    public static HttpServer start(HttpOptions options, HttpContent content) {
        return start(options, content, InstantSource.system());
    }

    /** @param clock the time that sessions and the throttle of sign-ins use */
    static HttpServer start(HttpOptions options, HttpContent content, InstantSource clock) {
        if (options.port() == 0) {
            try {
                return listen(options.onPort(PREFERRED_PORT), content, clock);
            } catch (Problem taken) {
                return listen(options, content, clock);
            }
        }
        return listen(options, content, clock);
    }

    private static HttpServer listen(HttpOptions options, HttpContent content, InstantSource clock) {
        Api api = new Api(options.mask(), content.outboxes(), new ClientAddress(options.behindProxy()));
        OutboxResources outboxes = new OutboxResources(content.outboxes());
        StatusRoutes statuses = new StatusRoutes(outboxes, content.metrics());
        @Nullable Javalin probes = null;
        try {
            Routes[] routes = new Routes[1];
            Javalin javalin = Javalin.create(config -> {
                configure(config, options.host(), options.port(), options.tls());
                routes[0] = routes(config, options, statuses, api, clock);
            });
            if (options.probePort() != 0) {
                probes = Javalin.create(config -> {
                    configure(config, options.probeHost(), options.probePort(), Optional.empty());
                    statuses.addProbesTo(new Routes(
                            config.routes, Optional.empty(), request -> Optional.empty(), new Mode(true, false)));
                });
                start(probes, options.probeHost(), options.probePort());
            }
            start(javalin, options.host(), options.port());
            return new HttpServer(javalin, probes, options, routes[0], api, outboxes);
        } catch (RuntimeException e) {
            if (probes != null) {
                probes.stop();
            }
            api.close();
            outboxes.close();
            throw e;
        }
    }

    private static Routes routes(
            JavalinConfig config, HttpOptions options, StatusRoutes statuses, Api api, InstantSource clock) {
        Optional<PasswordAccess> passwords = Optional.empty();
        Authentication authentication;
        switch (options.signIn()) {
            case NONE -> authentication = new OpenAccess();
            case PASSWORD -> {
                PasswordAccess access = new PasswordAccess(
                        new UsersFile(options.users()),
                        options.sessionIdle(),
                        options.sessionLimit(),
                        new ClientAddress(options.behindProxy()),
                        options.encrypted(),
                        clock);
                passwords = Optional.of(access);
                authentication = access;
            }
            case TOKEN -> authentication = new TokenAccess(options.tokens().orElseThrow());
            default -> throw new IllegalStateException(options.signIn().name());
        }
        RequestRules rules = new RequestRules(new HostNames(options.hostNames()), options.encrypted());
        Routes routes = new Routes(config.routes, Optional.of(rules), authentication, options.mode());
        new PageRoutes().addTo(routes);
        statuses.addTo(routes);
        new SessionRoutes(options.signIn(), passwords, options.mode(), options.instance(), version()).addTo(routes);
        api.addTo(routes);
        return routes;
    }

    private static String version() {
        String version = HttpServer.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private static void configure(JavalinConfig config, String host, int port, Optional<TlsFiles> tls) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
        threads.setName("waybill-http");
        threads.setDaemon(true);
        config.jetty.threadPool = threads;
        config.jetty.addConnector((server, http) -> connector(server, http, host, port, tls));
        config.jetty.modifyServletContextHandler(
                handler -> handler.getServletHandler().setDecodeAmbiguousURIs(true));
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.asyncTimeout = 0; // streams end when their viewers leave
    }

    private static ServerConnector connector(
            Server server, HttpConfiguration http, String host, int port, Optional<TlsFiles> tls) {
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(LARGEST_HEADERS);
        http.setIdleTimeout(IDLE_MILLIS);
        // Keys of events may contain slashes and percent signs. Routes are matched before their parts are decoded.
        http.setUriCompliance(
                UriCompliance.from(EnumSet.of(Violation.AMBIGUOUS_PATH_SEPARATOR, Violation.AMBIGUOUS_PATH_ENCODING)));
        ServerConnector connector;
        if (tls.isPresent()) {
            SecureRequestCustomizer secure = new SecureRequestCustomizer();
            secure.setSniHostCheck(false); // RequestRules checks the host name
            http.addCustomizer(secure);
            SslContextFactory.Server context = new SslContextFactory.Server();
            context.setKeyStore(tls.get().load());
            context.setKeyStorePassword(new String(TlsFiles.IN_MEMORY));
            connector = new ServerConnector(
                    server, new SslConnectionFactory(context, "http/1.1"), new HttpConnectionFactory(http));
        } else {
            connector = new ServerConnector(server, new HttpConnectionFactory(http));
        }
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(IDLE_MILLIS);
        server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, connector));
        return connector;
    }

    private static void start(Javalin javalin, String host, int port) {
        try {
            javalin.start(host, port);
        } catch (RuntimeException e) {
            javalin.stop();
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

    public String address() {
        String host = options.host();
        String literal = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return (options.tls().isPresent() ? "https://" : "http://") + literal + ":" + javalin.port();
    }

    /** Returns every route with its access. */
    List<Routes.Route> routes() {
        return routes.all();
    }

    @Override
    public void close() {
        api.close(); // ends the streams
        javalin.stop();
        if (probes != null) {
            probes.stop();
        }
        outboxes.close();
    }
}

package io.waybill.examples.polyshop.launcher;

import io.waybill.WaybillException;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.examples.polyshop.analytics.AnalyticsService;
import io.waybill.examples.polyshop.auth.AuthService;
import io.waybill.examples.polyshop.gateway.GatewayService;
import io.waybill.examples.polyshop.inventory.InventoryService;
import io.waybill.examples.polyshop.order.OrderApplication;
import io.waybill.examples.polyshop.product.ProductService;
import io.waybill.examples.polyshop.search.SearchService;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** All servers and services of the shop. Each service is a process of its own; one relay serves the outboxes of all of them. */
public final class Shop implements AutoCloseable {
    public static final String ADMIN = "admin@polyshop.example";

    private static final List<String> DATABASES =
            List.of("auth", "product", "inventory", "order", "payment", "notification", "search", "analytics");
    private static final String PAYMENT = "payment";
    private static final String NOTIFICATION = "notification";
    private static final String PASSWORD = "ADMIN_PASSWORD=";
    private static final String GATEWAY = "gateway";
    private static final String RELAY = "relay";
    private static final Duration START_LIMIT = Duration.ofMinutes(4);
    private static final long POLL_MILLIS = 100;
    private static final List<String> JVM =
            List.of("-Xmx128m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private final Path home;
    private final Path folder;
    private final Map<String, String> settings;
    private final Consumer<String> progress;
    private final String password;
    private final String webhookSecret = "whsec_" + secret();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Map<String, Child> children = new LinkedHashMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final LocalPostgres postgres;
    private final LocalKafka kafka;

    /**
     * Starts the servers; {@link #start} starts the services.
     *
     * @param home the folder of the source tree, which has the services that are not written in Java
     * @param folder holds data and logs
     * @param settings additional variables of all services, such as {@code PAYMENT_TIMEOUT}
     */
    public Shop(Path home, Path folder, Map<String, String> settings, Consumer<String> progress) {
        this.home = home.toAbsolutePath();
        this.folder = folder.toAbsolutePath();
        this.settings = Map.copyOf(settings);
        this.progress = progress;
        try {
            Files.createDirectories(this.folder);
            this.password = storedPassword().orElse(secret());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        progress.accept("Starting PostgreSQL and Kafka …");
        try (ServersStart start = new ServersStart()) {
            Future<LocalPostgres> database = start.begin(() -> LocalPostgres.start(this.folder.resolve("postgres")));
            Future<LocalKafka> broker = start.begin(() -> LocalKafka.start(this.folder.resolve("kafka")));
            this.postgres = start.result(database);
            this.kafka = start.result(broker);
        }
    }

    /** Starts several servers at the same time. If one fails, the others are closed. */
    private static final class ServersStart implements AutoCloseable {
        private final ExecutorService threads = Executors.newFixedThreadPool(2);
        private final List<Future<? extends AutoCloseable>> begun = new ArrayList<>();
        private boolean failed;

        <T extends AutoCloseable> Future<T> begin(java.util.concurrent.Callable<T> server) {
            Future<T> future = threads.submit(server);
            begun.add(future);
            return future;
        }

        <T> T result(Future<T> server) {
            try {
                return server.get();
            } catch (java.util.concurrent.ExecutionException e) {
                failed = true;
                throw e.getCause() instanceof RuntimeException known
                        ? known
                        : new WaybillException("Cannot start a server.", e.getCause());
            } catch (InterruptedException e) {
                failed = true;
                Thread.currentThread().interrupt();
                throw new WaybillException("Interrupted while the servers start.", e);
            }
        }

        @Override
        public void close() {
            threads.shutdown();
            if (!failed) {
                return;
            }
            for (Future<? extends AutoCloseable> server : begun) {
                try {
                    server.get().close();
                } catch (Exception e) {
                    // this server did not start
                }
            }
        }
    }

    /**
     * Starts the services and the relay, and returns when all of them serve.
     *
     * @param withOthers whether to start the services in Node and Python as well
     */
    public Shop start(boolean withOthers) throws InterruptedException {
        Topics.create(kafka.bootstrapServers());
        createDatabases();
        choosePorts();
        if (withOthers) {
            Toolchain.payment(home).ifPresent(reason -> missing.put(PAYMENT, reason));
            Toolchain.notification(home).ifPresent(reason -> missing.put(NOTIFICATION, reason));
        } else {
            missing.put(PAYMENT, "It was switched off with --no-node.");
            missing.put(NOTIFICATION, "It was switched off with --no-node.");
        }
        missing.forEach((service, reason) -> progress.accept("Without the service " + service + ": " + reason));
        define();
        progress.accept("Starting the services " + String.join(", ", services()) + " …");
        services().forEach(service -> child(service).start());
        services().forEach(this::awaitUp);
        if (!missing.containsKey(PAYMENT)) {
            LayoutSchema.apply(relayDataSource(), Layout.of("processed-flag", folder));
        }
        progress.accept("Starting the relay …");
        child(RELAY).start();
        awaitUp(RELAY);
        return this;
    }

    private void createDatabases() {
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Statement statement = connection.createStatement()) {
            for (String service : DATABASES) {
                String role = service + "_service";
                statement.execute("DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '" + role
                        + "') THEN CREATE ROLE " + role + " LOGIN PASSWORD '" + role + "'; END IF; END $$");
                if (!statement
                        .executeQuery("SELECT 1 FROM pg_database WHERE datname = '" + service + "_db'")
                        .next()) {
                    statement.execute("CREATE DATABASE " + service + "_db OWNER " + role);
                }
            }
        } catch (SQLException e) {
            throw new WaybillException("Cannot create the databases: " + e.getMessage(), e);
        }
        OutboxSchema.apply(dataSource(NOTIFICATION));
        InboxSchema.apply(dataSource(NOTIFICATION));
    }

    /** All ports are chosen at once, because the gateway needs the addresses of all services. */
    private void choosePorts() {
        List<String> names = new ArrayList<>(DATABASES);
        names.add(GATEWAY);
        names.add(RELAY);
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (String name : names) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(socket);
                ports.put(name, socket.getLocalPort());
            }
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void define() {
        define(
                "auth",
                AuthService.class,
                Map.of(
                        "ADMIN_EMAIL",
                        ADMIN,
                        "ADMIN_PASSWORD",
                        password,
                        "MAIL_FOLDER",
                        folder.resolve("mails").toString()));
        define("product", ProductService.class, Map.of());
        define("inventory", InventoryService.class, Map.of());
        define("order", OrderApplication.class, Map.of("LOG_CONFIG", "classpath:polyshop-logback.xml"));
        define("search", SearchService.class, Map.of());
        define("analytics", AnalyticsService.class, Map.of());
        Map<String, String> addresses = new LinkedHashMap<>();
        for (String service : DATABASES) {
            if (!missing.containsKey(service)) {
                addresses.put(service.toUpperCase(java.util.Locale.ROOT) + "_URL", url(service));
            }
        }
        define(GATEWAY, GatewayService.class, addresses);
        if (!missing.containsKey(PAYMENT)) {
            Map<String, String> environment = environment(PAYMENT);
            environment.put("STRIPE_WEBHOOK_SECRET", webhookSecret);
            environment.put("PUBLIC_URL", url(GATEWAY));
            children.put(
                    PAYMENT,
                    new Child(
                            PAYMENT,
                            List.of("node", "src/main.js"),
                            environment,
                            home.resolve("examples/polyshop/payment"),
                            log(PAYMENT)));
        }
        if (!missing.containsKey(NOTIFICATION)) {
            Map<String, String> environment = environment(NOTIFICATION);
            environment.put("MAIL_FOLDER", folder.resolve("mails").toString());
            environment.put("PYTHONDONTWRITEBYTECODE", "1");
            children.put(
                    NOTIFICATION,
                    new Child(
                            NOTIFICATION,
                            List.of(Toolchain.python().orElse("python3"), "-m", NOTIFICATION),
                            environment,
                            home.resolve("examples/polyshop/notification"),
                            log(NOTIFICATION)));
        }
        children.put(
                RELAY,
                new Child(
                        RELAY,
                        java(
                                "io.waybill.server.Main",
                                "-Xmx192m",
                                classPath(),
                                "relay",
                                "--config",
                                relaySettings().toString(),
                                "--log-format=json",
                                "--http-port=" + ports.get(RELAY)),
                        relayEnvironment(),
                        folder,
                        log(RELAY)));
    }

    private void define(String service, Class<?> main, Map<String, String> own) {
        Map<String, String> environment = environment(service);
        environment.putAll(own);
        // The program `waybill` configures logging itself.
        String path = Stream.of(classPath().split(File.pathSeparator))
                .filter(entry -> !entry.matches(".*(/server/target/|waybill-server-).*"))
                .collect(Collectors.joining(File.pathSeparator));
        children.put(
                service,
                new Child(
                        service,
                        java(main.getName(), "-Dlogback.configurationFile=polyshop-logback.xml", path),
                        environment,
                        folder,
                        log(service)));
    }

    private static List<String> java(String main, String option, String classPath, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.add(option);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Surefire hides the class path of the tests in the manifest of a jar, and names it in this property. */
    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private Map<String, String> environment(String service) {
        Map<String, String> environment = new LinkedHashMap<>(settings);
        environment.put("PORT", String.valueOf(ports.get(service)));
        if (DATABASES.contains(service)) {
            String role = service + "_service";
            String address = "127.0.0.1:" + postgres.port() + "/" + service + "_db";
            environment.put("DATABASE_URL", "postgresql://" + role + ":" + role + "@" + address);
            environment.put("JDBC_URL", jdbcUrl(service));
        }
        environment.put("KAFKA", kafka.bootstrapServers());
        environment.put("JWKS_URL", url("auth") + "/.well-known/jwks.json");
        return environment;
    }

    private Map<String, String> relayEnvironment() {
        Map<String, String> environment = new LinkedHashMap<>();
        settings.forEach((name, value) -> {
            if (name.startsWith("OTEL_")) {
                environment.put(name, value);
            }
        });
        environment.put("OTEL_SERVICE_NAME", RELAY);
        return environment;
    }

    private Path relaySettings() {
        StringBuilder yaml = new StringBuilder("outboxes:\n");
        for (String service : DATABASES) {
            if (missing.containsKey(service)) {
                continue; // its tables are missing
            }
            yaml.append("  ").append(service).append(":\n");
            yaml.append("    database: { url: \"")
                    .append(jdbcUrl(service))
                    .append(service.equals(PAYMENT) ? "&currentSchema=waybill" : "")
                    .append("\", pool-size: 4 }\n");
            if (service.equals(PAYMENT)) {
                yaml.append("    layout: processed-flag\n");
            }
            yaml.append("    relay: { source: ").append(service).append("-service, workers: 2 }\n");
        }
        // The Kafka client of the service payment cannot read LZ4, the default.
        yaml.append("broker: { url: \"kafka://")
                .append(kafka.bootstrapServers())
                .append("\", settings: { compression.type: gzip } }\n");
        yaml.append("relay: { lease: 5s, idle-limit: 50ms }\n");
        try {
            return Files.writeString(folder.resolve("waybill.yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log(String service) {
        return folder.resolve("logs").resolve(service + ".log");
    }

    /** Waits until a service answers its health check. */
    public void awaitUp(String service) {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        Child child = child(service);
        while (!isUp(service)) {
            if (!child.running()) {
                throw new WaybillException("The service " + service + " ended while it started. Its log " + child.log()
                        + " ends with:\n" + child.lastLines());
            }
            if (System.nanoTime() > end) {
                throw new WaybillException("The service " + service + " does not serve within "
                        + START_LIMIT.toMinutes() + " minutes. Its log " + child.log() + " ends with:\n"
                        + child.lastLines());
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaybillException("Interrupted while the service " + service + " starts.", e);
            }
        }
    }

    /** Whether a service answers its health check with success. */
    public boolean isUp(String service) {
        String path = service.equals(RELAY) ? "/readyz" : "/health";
        try {
            return http.send(
                                    HttpRequest.newBuilder(URI.create(url(service) + path))
                                            .timeout(Duration.ofSeconds(2))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Child child(String service) {
        return Optional.ofNullable(children.get(service))
                .orElseThrow(() -> new WaybillException("There is no service " + service + "."));
    }

    /** The names of the services that run here, without the relay. */
    public List<String> services() {
        return children.keySet().stream().filter(name -> !name.equals(RELAY)).toList();
    }

    /** The services that cannot run here, with the reason. */
    public Map<String, String> missing() {
        return Map.copyOf(missing);
    }

    public boolean has(String service) {
        return children.containsKey(service);
    }

    public Optional<Long> pid(String service) {
        return child(service).pid();
    }

    /** Kills the process of a service, or of the relay. */
    public void kill(String service) {
        child(service).kill();
    }

    /** Starts the process of a service again, and waits until it serves. */
    public void restart(String service) {
        child(service).start();
        awaitUp(service);
    }

    public void suspend(String service) {
        child(service).suspend();
    }

    public void resume(String service) {
        child(service).resume();
    }

    public LocalPostgres postgres() {
        return postgres;
    }

    public LocalKafka kafka() {
        return kafka;
    }

    public Path folder() {
        return folder;
    }

    /** The password of the administrator {@link #ADMIN}. */
    public String adminPassword() {
        return password;
    }

    public String url(String service) {
        return "http://127.0.0.1:" + ports.get(service);
    }

    /** The address of a service's database, with its user. */
    public String jdbcUrl(String service) {
        String role = service + "_service";
        return "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/" + service + "_db?user=" + role + "&password="
                + role;
    }

    /** The relay of the payment service keeps its tables in a schema of their own. */
    private PGSimpleDataSource relayDataSource() {
        PGSimpleDataSource database = dataSource(PAYMENT);
        database.setCurrentSchema("waybill");
        return database;
    }

    private PGSimpleDataSource dataSource(String service) {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(jdbcUrl(service));
        return database;
    }

    /** Returns the password of the administrator whom an earlier run created; empty at the first run. */
    private Optional<String> storedPassword() throws IOException {
        Path secrets = folder.resolve("secrets.txt");
        if (!Files.exists(secrets)) {
            return Optional.empty();
        }
        return Files.readAllLines(secrets).stream()
                .filter(line -> line.startsWith(PASSWORD))
                .map(line -> line.substring(PASSWORD.length()))
                .findFirst();
    }

    private static String secret() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Writes the secrets of this run for a person at this machine. */
    public Path writeSecrets() {
        Path file = folder.resolve("secrets.txt");
        try {
            Files.deleteIfExists(file);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return Files.writeString(
                    file,
                    "ADMIN_EMAIL=" + ADMIN + "\n" + PASSWORD + password + "\nSTRIPE_WEBHOOK_SECRET=" + webhookSecret
                            + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends all processes. The data is kept. */
    @Override
    public void close() {
        List<Child> all = new ArrayList<>(children.values());
        all.forEach(Child::requestStop);
        List<AutoCloseable> parts = new ArrayList<>(all);
        parts.add(kafka);
        parts.add(postgres);
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                progress.accept("Cannot stop a part of the shop: " + e.getMessage());
            }
        }
    }
}

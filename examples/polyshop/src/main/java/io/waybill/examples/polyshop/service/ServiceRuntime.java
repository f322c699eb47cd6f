package io.waybill.examples.polyshop.service;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.retry.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The parts of a Java service without Spring: a database of its own with Waybill's tables, an outbox, an inbox with a Kafka
 * consumer, HTTP, metrics and traces. Its relay is another process.
 */
public final class ServiceRuntime implements AutoCloseable {
    /** The first attempt and five retries, about 1, 2, 4, 8 and 16 seconds apart. */
    private static final int ATTEMPTS = 6;

    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);

    private final ServiceSettings settings;
    private final Tracing tracing;
    private final HikariDataSource database;
    private final JdbcInbox inboxTables;
    private final Outbox<Connection> outbox;
    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpApi http;
    private @Nullable KafkaInbox consumer;

    private ServiceRuntime(ServiceSettings settings, @Nullable Tokens tokens) {
        this.settings = settings;
        this.tracing = Tracing.start(settings);
        this.database = open(settings.jdbcUrl(), settings.service());
        this.inboxTables = JdbcInbox.on(database);
        this.outbox = tracing.events().outbox(RequestContext.outbox(settings.service(), JdbcOutbox.create()));
        OutboxSchema.apply(database);
        InboxSchema.apply(database);
        this.http = new HttpApi(tracing, tokens)
                .health(this::problems)
                .get(
                        "/metrics",
                        Access.PUBLIC,
                        (context, caller) -> context.contentType("text/plain; version=0.0.4; charset=utf-8")
                                .result(metrics.scrape()));
    }

    /** Connects to the database and creates Waybill's tables. Requests are checked with the keys of {@code JWKS_URL}. */
    public static ServiceRuntime of(ServiceSettings settings) {
        return new ServiceRuntime(settings, Tokens.of(settings.jwksUrl()));
    }

    /** Like {@link #of(ServiceSettings)}, with other keys. */
    public static ServiceRuntime of(ServiceSettings settings, Tokens tokens) {
        return new ServiceRuntime(settings, tokens);
    }

    private static HikariDataSource open(String jdbcUrl, String service) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(jdbcUrl);
        pool.setPoolName(service);
        pool.setMaximumPoolSize(8);
        pool.setMinimumIdle(1);
        pool.setConnectionTimeout(5_000);
        return new HikariDataSource(pool);
    }

    public ServiceSettings settings() {
        return settings;
    }

    public HikariDataSource database() {
        return database;
    }

    public JdbcInbox inboxTables() {
        return inboxTables;
    }

    public PrometheusMeterRegistry metrics() {
        return metrics;
    }

    public HttpApi http() {
        return http;
    }

    /** The outbox for requests: events get the correlation, the user and the trace of the current request. */
    public Outbox<Connection> outbox() {
        return outbox;
    }

    /** The outbox for a handler: events name the handled event as their cause. */
    public Outbox<Connection> outbox(Event cause) {
        return FollowUps.of(cause, outbox);
    }

    /** Returns an event whose payload is this object as JSON. */
    public static Event event(String type, String aggregate, Object key, Object data) {
        return Event.builder(type, aggregate, key.toString())
                .payload(Json.write(data))
                .build();
    }

    /** Runs the SQL of a resource beside the given class. It must be repeatable. */
    public void createTables(Class<?> owner, String resource) {
        try (InputStream file = owner.getResourceAsStream(resource)) {
            if (file == null) {
                throw new IllegalStateException(resource + " is missing beside " + owner.getName());
            }
            transaction(connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(new String(file.readAllBytes(), StandardCharsets.UTF_8));
                }
                return true;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Work in a transaction. */
    public interface Work<R> {
        R run(Connection connection) throws SQLException, IOException;
    }

    /** Runs work in a transaction of its own. */
    public <R> R transaction(Work<R> work) {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                R result = work.run(connection);
                connection.commit();
                return result;
            } catch (SQLException | IOException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        } catch (SQLException e) {
            throw new ApiException(
                    503, "DATABASE_UNAVAILABLE", "The service cannot use its database now: " + e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the handlers of the service's consumer group, which is named like the service. Call it before {@link #start}. */
    public void consume(UnaryOperator<InboxBuilder<Connection>> handlers) {
        Duration first = settings.duration("RETRY_FIRST_DELAY", FIRST_DELAY);
        Inbox<Connection> inbox = handlers.apply(Inbox.builder(inboxTables.store(), settings.service()))
                .service(settings.service())
                .retry(new RetryPolicy(ATTEMPTS, first, first.multipliedBy(16)))
                .classify(ServiceRuntime::kind)
                .deadLettersTo(outbox)
                .listener(new Alerts(settings.service(), metrics))
                .tracer(tracing.events().inbox("kafka", settings.service()))
                .build();
        consumer = KafkaInbox.builder(settings.kafka(), inbox)
                .setting("metadata.max.age.ms", 5_000)
                .build();
    }

    /** A message that does not match the handler's types fails permanently, because a retry cannot succeed. */
    private static @Nullable FailureKind kind(Throwable failure) {
        return failure instanceof tools.jackson.core.JacksonException ? FailureKind.PERMANENT : null;
    }

    /** Begins to consume and to serve. */
    public void start() {
        if (consumer != null) {
            consumer.start();
        }
        http.start(settings.port());
        LoggerFactory.getLogger(ServiceRuntime.class)
                .info("Service {} listens on 127.0.0.1:{}", settings.service(), http.port());
    }

    public int port() {
        return http.port();
    }

    private Map<String, String> problems() {
        Map<String, String> problems = new LinkedHashMap<>();
        try (Connection connection = database.getConnection()) {
            if (!connection.isValid(2)) {
                problems.put("database", "The connection is not valid.");
            }
        } catch (SQLException e) {
            problems.put("database", String.valueOf(e.getMessage()));
        }
        KafkaInbox started = consumer;
        if (started != null && !started.isRunning()) {
            problems.put("consumer", "The consumer does not run.");
        }
        return problems;
    }

    /** Checks that a text is a UUID. */
    public static UUID uuid(String what, @Nullable String text) {
        try {
            if (text != null && text.length() == 36) {
                return UUID.fromString(text);
            }
        } catch (IllegalArgumentException e) {
            // The exception below reports this.
        }
        throw ApiException.badRequest(what + " must be a UUID.");
    }

    @Override
    public void close() {
        List<AutoCloseable> parts = new ArrayList<>();
        parts.add(http);
        if (consumer != null) {
            parts.add(consumer);
        }
        parts.add(database);
        parts.add(tracing);
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                LoggerFactory.getLogger(ServiceRuntime.class).warn("Cannot stop a part of {}", settings.service(), e);
            }
        }
    }
}

package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.admin.OutboxStatus;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.daemon.ConsoleOutbox;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.http.access.UsersFile;
import io.waybill.server.http.request.Role;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A running HTTP server on a fresh PostgreSQL database, and a client that checks each response against the description of the API. */
final class ConsoleServer implements AutoCloseable {
    static final String PASSWORD = "correct horse battery";

    /** The password of the database. No response contains it. */
    private static final String PLANTED = "planted-secret";

    static final String MAIN = "/api/v1/outboxes/main";
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final HikariDataSource pool;
    final HttpServer server;

    private ConsoleServer(HikariDataSource pool, HttpServer server) {
        this.pool = pool;
        this.server = server;
    }

    static ConsoleServer start(Path folder, Map<String, String> settings) {
        return start(folder, settings, InstantSource.system());
    }

    static ConsoleServer start(Path folder, Map<String, String> settings, InstantSource clock) {
        OutboxDatabase database = new OutboxDatabase(
                DatabaseAddress.parse(SharedServers.freshDatabase() + "&password=" + PLANTED, null, null));
        OutboxSchema.apply(database.direct(), Engine.QUEUE);
        InboxSchema.apply(database.direct());
        SagaSchema.apply(database.direct());
        Configuration configuration = Configuration.read(settings, List.of(), null, Map.of(), folder);
        HikariDataSource pool = database.consolePool();
        OutboxTables tables = OutboxTables.find(database, configuration);
        Supplier<OutboxStatus> status = () -> tables.on(pool).view().status();
        HttpContent content = new HttpContent(
                List::of,
                status,
                Optional::empty,
                () -> "outbox_up 1\n",
                List.of(ConsoleOutbox.of(
                        configuration, database, tables, BrokerAddress.parse("kafka://127.0.0.1:1"), pool, status)));
        return new ConsoleServer(pool, HttpServer.start(HttpOptions.of(configuration), content, clock));
    }

    /** A server whose users sign in with {@link #PASSWORD}: viewer, operator and admin are named after their roles. */
    static ConsoleServer withUsers(Path folder, Map<String, String> settings, InstantSource clock) {
        UsersFile users = new UsersFile(folder.resolve("waybill-users"));
        for (Role role : Role.values()) {
            users.add(role.label(), role, PASSWORD);
        }
        Map<String, String> all = new HashMap<>(settings);
        all.put("http.sign-in", "password");
        return start(folder, all, clock);
    }

    record Reply(int status, Map<String, List<String>> headers, String body) {
        JsonNode json() {
            return JSON.readTree(body);
        }

        String header(String name) {
            return headers.getOrDefault(name, List.of("")).get(0);
        }

        /** The cookie that the response sets, as a request sends it. */
        String cookie() {
            return header("set-cookie").split(";", 2)[0];
        }
    }

    /** @param headers names and values */
    Reply send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty() || method.equals("POST")) {
            request.setHeader("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
            assertThat(response.body() + response.headers().map())
                    .doesNotContain(PLANTED, PASSWORD, "\tat ", "java.sql");
            OpenApiFile.check(
                    method,
                    URI.create(path).getRawPath(),
                    response.statusCode(),
                    response.headers().firstValue("content-type").orElse(""),
                    response.body());
            return new Reply(response.statusCode(), response.headers().map(), response.body());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Reply get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    /** Fails unless the response has status 200. */
    JsonNode read(String path, String... headers) {
        Reply reply = get(path, headers);
        assertThat(reply.status()).as(path + " " + reply.body()).isEqualTo(200);
        return reply.json();
    }

    /** Sends an action with a reason and a new id. */
    Reply act(String path, String... headers) {
        return send("POST", path, action(UUID.randomUUID(), ""), headers);
    }

    /** @param more further fields, beginning with a comma; or empty */
    static String action(UUID id, String more) {
        return "{\"reason\":\"a test\",\"actionId\":\"" + id + "\"" + more + "}";
    }

    Reply signIn(String user, String password, String... headers) {
        return send(
                "POST",
                "/api/v1/session",
                JSON.createObjectNode()
                        .put("user", user)
                        .put("password", password)
                        .toString(),
                headers);
    }

    /** Returns the cookie of a new session. */
    String session(String user) {
        Reply reply = signIn(user, PASSWORD);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.cookie();
    }

    int port() {
        return URI.create(server.address()).getPort();
    }

    /** Sends text as it is, and returns everything that the server sends until it closes the connection. */
    String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    UUID append(Event event) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            JdbcOutbox.create().append(connection, event);
            connection.commit();
        }
        return event.id();
    }

    UUID append(String type, String key, String payload) throws SQLException {
        return append(Event.of(type, "Order", key, payload));
    }

    UUID deadLetter(String key, String error) throws SQLException {
        UUID id = append("order.placed", key, "{\"total\":1}");
        execute(
                "UPDATE outbox_events SET state = 'DEAD_LETTER', retry_count = 3, dead_at = now(), processed_at = now(),"
                        + " last_error = '" + error.replace("'", "''") + "' WHERE id = '" + id + "'");
        return id;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        }
    }

    String query(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            String value = String.valueOf(row.getString(1));
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return value;
        }
    }

    @Override
    public void close() {
        server.close();
        pool.close();
    }
}

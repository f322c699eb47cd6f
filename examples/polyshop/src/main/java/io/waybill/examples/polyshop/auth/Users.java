package io.waybill.examples.polyshop.auth;

import io.waybill.Outbox;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Rows;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Users, sessions and their events. The methods run in the caller's transaction. */
final class Users {
    private static final String SELECT = "SELECT id, email, password_hash, name, verified, created_at FROM users ";
    private static final int SESSION_DAYS = 14;

    private final Outbox<Connection> outbox;

    Users(Outbox<Connection> outbox) {
        this.outbox = outbox;
    }

    record User(UUID id, String email, String passwordHash, String name, boolean verified, OffsetDateTime createdAt) {}

    record Session(UUID id, OffsetDateTime since, OffsetDateTime expiresAt) {}

    User create(Connection connection, String email, String passwordHash, String name, List<String> roles)
            throws SQLException {
        UUID id = UUID.randomUUID();
        int created = Rows.update(
                connection,
                "INSERT INTO users (id, email, password_hash, name) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                id,
                email,
                passwordHash,
                name);
        if (created == 0) {
            throw ApiException.conflict("EMAIL_TAKEN", "There is a user with this email address.");
        }
        grant(connection, id, roles);
        emit(
                connection,
                "auth.user.created.v1",
                id,
                Map.of("userId", id, "email", email, "fullName", name, "createdAt", now()));
        return find(connection, id).orElseThrow();
    }

    private static void grant(Connection connection, UUID id, List<String> roles) throws SQLException {
        for (String role : roles) {
            Rows.update(connection, "INSERT INTO user_roles (user_id, role) VALUES (?, ?)", id, role);
        }
    }

    static Optional<User> find(Connection connection, UUID id) throws SQLException {
        return Rows.first(connection, SELECT + "WHERE id = ?", Users::user, id);
    }

    static Optional<User> find(Connection connection, String email) throws SQLException {
        return Rows.first(connection, SELECT + "WHERE lower(email) = lower(?)", Users::user, email);
    }

    static List<User> page(Connection connection, int page, int size) throws SQLException {
        return Rows.list(
                connection, SELECT + "ORDER BY created_at, id LIMIT ? OFFSET ?", Users::user, size, (long) page * size);
    }

    private static User user(ResultSet row) throws SQLException {
        return new User(
                row.getObject("id", UUID.class),
                row.getString("email"),
                row.getString("password_hash"),
                row.getString("name"),
                row.getBoolean("verified"),
                row.getObject("created_at", OffsetDateTime.class));
    }

    static List<String> roles(Connection connection, UUID id) throws SQLException {
        return Rows.list(
                connection, "SELECT role FROM user_roles WHERE user_id = ? ORDER BY role", row -> row.getString(1), id);
    }

    void replaceRoles(Connection connection, UUID id, List<String> roles) throws SQLException {
        Rows.update(connection, "UPDATE users SET updated_at = now() WHERE id = ?", id); // locks the user
        List<String> previous = roles(connection, id);
        Rows.update(connection, "DELETE FROM user_roles WHERE user_id = ?", id);
        grant(connection, id, roles);
        emit(
                connection,
                "auth.user.role-updated.v1",
                id,
                Map.of("userId", id, "previousRoles", previous, "roles", roles, "updatedAt", now()));
    }

    /** Changes the password and ends all sessions. */
    static void password(Connection connection, UUID id, String hash) throws SQLException {
        Rows.update(connection, "UPDATE users SET password_hash = ?, updated_at = now() WHERE id = ?", hash, id);
        Rows.update(connection, "DELETE FROM refresh_tokens WHERE user_id = ?", id);
        Rows.update(connection, "DELETE FROM one_time_tokens WHERE user_id = ? AND purpose = 'RESET'", id);
    }

    void verified(Connection connection, User user) throws SQLException {
        int changed = Rows.update(
                connection,
                "UPDATE users SET verified = true, updated_at = now() WHERE id = ? AND NOT verified",
                user.id());
        if (changed == 1) {
            emit(
                    connection,
                    "auth.user.verified.v1",
                    user.id(),
                    Map.of("userId", user.id(), "email", user.email(), "verifiedAt", now()));
        }
    }

    /** Returns a new refresh token of a session. */
    static String refreshToken(Connection connection, UUID user, UUID session) throws SQLException {
        String token = Secrets.token();
        Rows.update(
                connection,
                "INSERT INTO refresh_tokens (id, user_id, session_id, token_hash, expires_at) VALUES (?, ?, ?, ?, ?)",
                UUID.randomUUID(),
                user,
                session,
                Secrets.hash(token),
                OffsetDateTime.now(ZoneOffset.UTC).plusDays(SESSION_DAYS));
        return token;
    }

    /** The user and the session that a refresh token belongs to, and whether it was used before. */
    record Refresh(UUID user, UUID session, boolean reused) {}

    /** Uses a refresh token. If a token is used twice, it may have been stolen, so the whole session ends. */
    static Optional<Refresh> use(Connection connection, String token) throws SQLException {
        Optional<Refresh> found = Rows.first(
                connection,
                "SELECT user_id, session_id, used FROM refresh_tokens WHERE token_hash = ? AND expires_at > now() FOR UPDATE",
                row -> new Refresh(
                        row.getObject("user_id", UUID.class),
                        row.getObject("session_id", UUID.class),
                        row.getBoolean("used")),
                Secrets.hash(token));
        if (found.isPresent() && found.get().reused()) {
            endSession(connection, found.get().user(), found.get().session());
        } else if (found.isPresent()) {
            Rows.update(connection, "UPDATE refresh_tokens SET used = true WHERE token_hash = ?", Secrets.hash(token));
        }
        return found;
    }

    static List<Session> sessions(Connection connection, UUID user) throws SQLException {
        return Rows.list(
                connection,
                "SELECT session_id, min(created_at) AS since, max(expires_at) AS until FROM refresh_tokens"
                        + " WHERE user_id = ? AND expires_at > now() GROUP BY session_id ORDER BY since",
                row -> new Session(
                        row.getObject("session_id", UUID.class),
                        row.getObject("since", OffsetDateTime.class),
                        row.getObject("until", OffsetDateTime.class)),
                user);
    }

    /** Returns whether the user had such a session. */
    static boolean endSession(Connection connection, UUID user, UUID session) throws SQLException {
        return Rows.update(connection, "DELETE FROM refresh_tokens WHERE user_id = ? AND session_id = ?", user, session)
                > 0;
    }

    static String oneTimeToken(Connection connection, UUID user, String purpose) throws SQLException {
        String token = Secrets.token();
        Rows.update(connection, "DELETE FROM one_time_tokens WHERE user_id = ? AND purpose = ?", user, purpose);
        Rows.update(
                connection,
                "INSERT INTO one_time_tokens (token_hash, user_id, purpose, expires_at) VALUES (?, ?, ?, ?)",
                Secrets.hash(token),
                user,
                purpose,
                OffsetDateTime.now(ZoneOffset.UTC).plusDays(1));
        return token;
    }

    static Optional<UUID> useOneTimeToken(Connection connection, String token, String purpose) throws SQLException {
        return Rows.first(
                connection,
                "DELETE FROM one_time_tokens WHERE token_hash = ? AND purpose = ? AND expires_at > now() RETURNING user_id",
                row -> row.getObject(1, UUID.class),
                Secrets.hash(token),
                purpose);
    }

    private void emit(Connection connection, String type, UUID user, Map<String, Object> data) {
        outbox.append(connection, ServiceRuntime.event(type, "User", user, data));
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }
}

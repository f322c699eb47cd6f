package io.waybill.examples.polyshop.auth;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import io.javalin.http.Context;
import io.waybill.examples.polyshop.service.Access;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Caller;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.examples.polyshop.service.Tokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The service auth. Its events carry no tokens: it writes the mails that contain one itself, as files into {@code MAIL_FOLDER}. {@code
 * ADMIN_EMAIL} and {@code ADMIN_PASSWORD} create the first administrator.
 */
public final class AuthService implements AutoCloseable {
    private static final int SHORTEST_PASSWORD = 8;
    /** BCrypt reads no more bytes. */
    private static final int LONGEST_PASSWORD = 72;

    private static final Set<String> ROLES = Set.of("USER", "ADMIN");

    private final ServiceRuntime runtime;
    private final Users users;
    private final SigningKey key;
    private final Optional<Path> mails;

    public AuthService(ServiceSettings settings) {
        LateKeys keys = new LateKeys();
        runtime = ServiceRuntime.of(settings, keys.tokens());
        runtime.createTables(AuthService.class, "auth.sql");
        key = SigningKey.of(runtime);
        keys.set(key.jwks());
        users = new Users(runtime.outbox());
        mails = settings.find("MAIL_FOLDER").map(Path::of);
        settings.find("ADMIN_EMAIL").ifPresent(email -> firstAdmin(email, settings.required("ADMIN_PASSWORD")));
        runtime.http()
                .get(
                        "/.well-known/jwks.json",
                        Access.PUBLIC,
                        (context, caller) ->
                                context.contentType("application/json").result(key.jwks()))
                .post("/auth/register", Access.PUBLIC, (context, caller) -> register(context))
                .post("/auth/login", Access.PUBLIC, (context, caller) -> login(context))
                .post("/auth/refresh", Access.PUBLIC, (context, caller) -> refresh(context))
                .post("/auth/logout", Access.USER, this::logout)
                .get("/auth/me", Access.USER, (context, caller) -> one(context, id(caller)))
                .post("/auth/change-password", Access.USER, this::changePassword)
                .post("/auth/request-password-reset", Access.PUBLIC, (context, caller) -> requestReset(context))
                .post("/auth/confirm-password-reset", Access.PUBLIC, (context, caller) -> confirmReset(context))
                .post("/auth/verify-email", Access.PUBLIC, (context, caller) -> verify(context))
                .post("/auth/resend-verification", Access.USER, this::resend)
                .get("/auth/sessions", Access.USER, this::sessions)
                .delete("/auth/sessions/{sessionId}", Access.USER, this::endSession)
                .get("/users", Access.ADMIN, (context, caller) -> list(context))
                .get("/users/{userId}", Access.ADMIN, (context, caller) -> one(context, userId(context)))
                .put("/users/{userId}/roles", Access.ADMIN, (context, caller) -> roles(context));
    }

    /** Keys that are set later: the runtime needs them before it opens the database that contains them. */
    private static final class LateKeys {
        private volatile JWKSet keys = new JWKSet();

        Tokens tokens() {
            return Tokens.of((selector, context) -> selector.select(keys));
        }

        void set(String jwks) {
            try {
                keys = new ImmutableJWKSet<>(JWKSet.parse(jwks)).getJWKSet();
            } catch (ParseException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public AuthService start() {
        runtime.start();
        return this;
    }

    public int port() {
        return runtime.port();
    }

    private void firstAdmin(String email, String password) {
        runtime.transaction(connection -> {
            if (Users.find(connection, email).isEmpty()) {
                users.create(
                        connection, email, Secrets.passwordHash(password), "Administrator", List.of("ADMIN", "USER"));
            }
            return true;
        });
    }

    record Registration(
            @Nullable String email,
            @Nullable String password,
            @Nullable String fullName) {}

    private void register(Context context) {
        Registration body = HttpApi.body(context, Registration.class);
        List<String> problems = new ArrayList<>();
        String email = body.email();
        if (email == null
                || email.length() > 254
                || !email.matches("[^\\s@\\p{Cntrl}\\p{Cs}]+@[^\\s@\\p{Cntrl}\\p{Cs}]+")) {
            problems.add("email is no email address");
        }
        String password = password("password", body.password(), problems);
        String name = body.fullName() == null ? "" : body.fullName();
        if (name.length() > 200 || name.matches("(?s).*[\\p{Cntrl}\\p{Cs}].*")) {
            problems.add("fullName must have up to 200 characters and no control characters");
        }
        if (email == null || !problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
        String hash = Secrets.passwordHash(password);
        String[] token = {""};
        Users.User user = runtime.transaction(connection -> {
            Users.User created = users.create(connection, email, hash, name, List.of("USER"));
            token[0] = Users.oneTimeToken(connection, created.id(), "VERIFY");
            return created;
        });
        mail(user, "verify-email", token[0]);
        HttpApi.json(context, 201, view(user, List.of("USER")));
    }

    private static String password(String field, @Nullable String password, List<String> problems) {
        if (password == null
                || password.length() < SHORTEST_PASSWORD
                || password.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > LONGEST_PASSWORD) {
            problems.add(field + " must have " + SHORTEST_PASSWORD + " characters or more, and up to "
                    + LONGEST_PASSWORD + " bytes");
            return "";
        }
        return password;
    }

    record Credentials(@Nullable String email, @Nullable String password) {}

    private void login(Context context) {
        Credentials body = HttpApi.body(context, Credentials.class);
        String email = body.email() == null ? "" : body.email();
        String password = body.password() == null ? "" : body.password();
        Optional<Users.User> user = runtime.transaction(connection -> Users.find(connection, email));
        if (!Secrets.matches(password, user.map(Users.User::passwordHash).orElse(Secrets.NO_PASSWORD))
                || user.isEmpty()) {
            throw new ApiException(401, "BAD_CREDENTIALS", "The email address or the password is wrong.");
        }
        UUID id = user.get().id();
        HttpApi.json(context, 200, runtime.transaction(connection -> tokens(connection, id, UUID.randomUUID())));
    }

    private Map<String, Object> tokens(Connection connection, UUID user, UUID session) throws SQLException {
        Map<String, Object> tokens = new LinkedHashMap<>();
        tokens.put("accessToken", key.accessToken(user, Users.roles(connection, user), session));
        tokens.put("refreshToken", Users.refreshToken(connection, user, session));
        tokens.put("tokenType", "Bearer");
        tokens.put("expiresIn", SigningKey.LIFETIME.toSeconds());
        return tokens;
    }

    record Token(
            @Nullable String refreshToken,
            @Nullable String token,
            @Nullable String newPassword) {}

    private void refresh(Context context) {
        String token = required(HttpApi.body(context, Token.class).refreshToken(), "refreshToken");
        Optional<Map<String, Object>> tokens = runtime.transaction(connection -> {
            Optional<Users.Refresh> used = Users.use(connection, token);
            return used.isEmpty() || used.get().reused()
                    ? Optional.empty()
                    : Optional.of(
                            tokens(connection, used.get().user(), used.get().session()));
        });
        HttpApi.json(
                context,
                200,
                tokens.orElseThrow(() -> ApiException.unauthorized("The refresh token is invalid. Log in again.")));
    }

    private void logout(Context context, Caller caller) {
        runtime.transaction(connection ->
                Users.endSession(connection, id(caller), ServiceRuntime.uuid("The session", caller.session())));
        context.status(204);
    }

    record Change(
            @Nullable String currentPassword, @Nullable String newPassword) {}

    private void changePassword(Context context, Caller caller) {
        Change body = HttpApi.body(context, Change.class);
        List<String> problems = new ArrayList<>();
        String password = password("newPassword", body.newPassword(), problems);
        if (!problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
        Users.User user = runtime.transaction(connection -> Users.find(connection, id(caller)))
                .orElseThrow(() -> ApiException.unauthorized("There is no such user."));
        String current = body.currentPassword() == null ? "" : body.currentPassword();
        if (!Secrets.matches(current, user.passwordHash())) {
            throw new ApiException(401, "BAD_CREDENTIALS", "The current password is wrong.");
        }
        String hash = Secrets.passwordHash(password);
        runtime.transaction(connection -> {
            Users.password(connection, user.id(), hash);
            return true;
        });
        context.status(204);
    }

    /** Sends the same answer whether the user exists or not. */
    private void requestReset(Context context) {
        String email = required(HttpApi.body(context, Credentials.class).email(), "email");
        runtime.transaction(connection -> Users.find(connection, email)).ifPresent(user -> {
            String token = runtime.transaction(connection -> Users.oneTimeToken(connection, user.id(), "RESET"));
            mail(user, "reset-password", token);
        });
        context.status(202);
    }

    private void confirmReset(Context context) {
        Token body = HttpApi.body(context, Token.class);
        String token = required(body.token(), "token");
        List<String> problems = new ArrayList<>();
        String password = password("newPassword", body.newPassword(), problems);
        if (!problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
        String hash = Secrets.passwordHash(password);
        boolean done = runtime.transaction(connection -> {
            Optional<UUID> user = Users.useOneTimeToken(connection, token, "RESET");
            if (user.isPresent()) {
                Users.password(connection, user.get(), hash);
            }
            return user.isPresent();
        });
        if (!done) {
            throw ApiException.badRequest("The token is invalid or has expired. Request a new one.");
        }
        context.status(204);
    }

    private void verify(Context context) {
        String token = required(HttpApi.body(context, Token.class).token(), "token");
        boolean done = runtime.transaction(connection -> {
            Optional<UUID> user = Users.useOneTimeToken(connection, token, "VERIFY");
            if (user.isPresent()) {
                users.verified(connection, Users.find(connection, user.get()).orElseThrow());
            }
            return user.isPresent();
        });
        if (!done) {
            throw ApiException.badRequest("The token is invalid or has expired. Request a new one.");
        }
        context.status(204);
    }

    private void resend(Context context, Caller caller) {
        Users.User user = runtime.transaction(connection -> Users.find(connection, id(caller)))
                .orElseThrow(() -> ApiException.unauthorized("There is no such user."));
        if (!user.verified()) {
            mail(
                    user,
                    "verify-email",
                    runtime.transaction(connection -> Users.oneTimeToken(connection, user.id(), "VERIFY")));
        }
        context.status(202);
    }

    private void sessions(Context context, Caller caller) {
        List<Map<String, Object>> sessions = new ArrayList<>();
        for (Users.Session session : runtime.transaction(connection -> Users.sessions(connection, id(caller)))) {
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("sessionId", session.id());
            view.put("since", session.since().toInstant().toString());
            view.put("expiresAt", session.expiresAt().toInstant().toString());
            view.put("current", session.id().toString().equals(caller.session()));
            sessions.add(view);
        }
        HttpApi.json(context, 200, sessions);
    }

    private void endSession(Context context, Caller caller) {
        UUID session = ServiceRuntime.uuid("The session", context.pathParam("sessionId"));
        if (!runtime.transaction(connection -> Users.endSession(connection, id(caller), session))) {
            throw ApiException.notFound("You have no such session.");
        }
        context.status(204);
    }

    private void list(Context context) {
        int page = number(context, "page", 0, 0, 1_000_000);
        int size = number(context, "size", 20, 1, 100);
        List<Map<String, Object>> found = runtime.transaction(connection -> {
            List<Map<String, Object>> views = new ArrayList<>();
            for (Users.User user : Users.page(connection, page, size)) {
                views.add(view(user, Users.roles(connection, user.id())));
            }
            return views;
        });
        HttpApi.json(context, 200, Map.of("items", found, "page", page, "size", size));
    }

    private static int number(Context context, String name, int fallback, int least, int most) {
        String text = context.queryParam(name);
        if (text == null) {
            return fallback;
        }
        if (!text.matches("\\d{1,7}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            throw ApiException.badRequest(name + " must be between " + least + " and " + most + ".");
        }
        return Integer.parseInt(text);
    }

    private void one(Context context, UUID id) {
        HttpApi.json(context, 200, runtime.transaction(connection -> {
            Users.User user =
                    Users.find(connection, id).orElseThrow(() -> ApiException.notFound("There is no such user."));
            return view(user, Users.roles(connection, id));
        }));
    }

    record Roles(@Nullable List<@Nullable String> roles) {}

    private void roles(Context context) {
        UUID id = userId(context);
        List<String> roles = new ArrayList<>();
        List<@Nullable String> given = HttpApi.body(context, Roles.class).roles();
        for (String role : given == null ? List.<@Nullable String>of() : given) {
            if (role == null || !ROLES.contains(role) || roles.contains(role)) {
                throw ApiException.invalid(List.of("roles must be a list of USER and ADMIN, each once"));
            }
            roles.add(role);
        }
        if (roles.isEmpty()) {
            throw ApiException.invalid(List.of("roles must name one role or more"));
        }
        HttpApi.json(context, 200, runtime.transaction(connection -> {
            Users.User user =
                    Users.find(connection, id).orElseThrow(() -> ApiException.notFound("There is no such user."));
            users.replaceRoles(connection, id, roles);
            return view(user, roles);
        }));
    }

    private static Map<String, Object> view(Users.User user, List<String> roles) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", user.id());
        view.put("email", user.email());
        view.put("fullName", user.name());
        view.put("verified", user.verified());
        view.put("roles", roles);
        view.put("createdAt", user.createdAt().toInstant().toString());
        return view;
    }

    private static UUID id(Caller caller) {
        return ServiceRuntime.uuid("The subject of the token", caller.id());
    }

    private static UUID userId(Context context) {
        return ServiceRuntime.uuid("The id", context.pathParam("userId"));
    }

    private static String required(@Nullable String value, String field) {
        if (value == null || value.isBlank()) {
            throw ApiException.invalid(List.of(field + " is missing"));
        }
        return value;
    }

    private void mail(Users.User user, String template, String token) {
        mails.ifPresent(folder -> {
            try {
                Files.createDirectories(folder);
                Files.writeString(
                        folder.resolve(template + "-" + user.id() + ".txt"),
                        "To: " + user.email() + "\nSubject: " + template + "\n\nYour token: " + token + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Override
    public void close() {
        runtime.close();
    }

    public static void main(String[] arguments) {
        new AuthService(ServiceSettings.of("auth-service", System.getenv())).start();
    }
}

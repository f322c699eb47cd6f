package io.waybill.server.http.access;

import io.waybill.server.config.SignIn;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Body;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Caller;
import io.waybill.server.http.request.Mode;
import io.waybill.server.http.request.Permission;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.server.http.request.Role;
import io.waybill.server.http.request.Routes;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The routes that return the signed-in user, sign in and sign out. */
public final class SessionRoutes {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_PASSWORD = 1_000;

    private final SignIn kind;
    private final Optional<PasswordAccess> passwords;
    private final Mode mode;
    private final String instance;
    private final String version;

    /** @param passwords empty unless users sign in with a password */
    public SessionRoutes(SignIn kind, Optional<PasswordAccess> passwords, Mode mode, String instance, String version) {
        this.kind = kind;
        this.passwords = passwords;
        this.mode = mode;
        this.instance = instance;
        this.version = version;
    }

    public void addTo(Routes routes) {
        routes.get(
                        "/api/v1/session",
                        Access.ANYONE,
                        call -> call.json(session(call.signedIn().orElse(null))))
                .post("/api/v1/session", Access.ANYONE, this::signIn)
                .delete("/api/v1/session", Access.ANYONE, this::signOut);
    }

    private void signIn(Call call) {
        PasswordAccess access = passwords.orElseThrow(() -> Refusal.of(
                Kind.CONFLICT,
                kind == SignIn.NONE
                        ? "This server needs no sign-in."
                        : "This server accepts bearer tokens, and no passwords."));
        Body body = call.body();
        String name = body.text("user", LONGEST_NAME);
        String password = body.text("password", LONGEST_PASSWORD);
        body.requireNoMore();
        call.json(session(access.signIn(call.context(), name, password)));
    }

    private void signOut(Call call) {
        passwords.ifPresent(access -> access.signOut(call.context()));
        call.nothing();
    }

    private ObjectNode session(@Nullable Caller caller) {
        ObjectNode json = JSON.createObjectNode()
                .put("user", caller == null ? null : caller.name())
                .put("role", caller == null ? null : caller.role().label());
        ArrayNode permissions = json.putArray("permissions");
        if (caller != null) {
            permissions(caller.role()).forEach(permissions::add);
        }
        return json.put("signIn", kind.name().toLowerCase(Locale.ROOT))
                .put("readOnly", mode.readOnly())
                .put("instance", instance)
                .put("version", version)
                .put(
                        "expiresAt",
                        caller == null || caller.expiresAt() == null
                                ? null
                                : caller.expiresAt().toString());
    }

    private Iterable<String> permissions(Role role) {
        return Arrays.stream(Permission.values())
                .filter(permission -> role.grants(permission) && mode.allows(permission))
                .map(permission -> permission.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}

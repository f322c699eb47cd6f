package io.waybill.server.http.access;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.SameSite;
import io.waybill.internal.LogText;
import io.waybill.server.http.access.Sessions.Session;
import io.waybill.server.http.access.UsersFile.User;
import io.waybill.server.http.request.Authentication;
import io.waybill.server.http.request.Caller;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Users of a file sign in with a password; a cookie names their session. */
public final class PasswordAccess implements Authentication {
    static final String COOKIE = "waybill-session";
    private static final Logger LOG = LoggerFactory.getLogger(PasswordAccess.class);

    /** A hash takes a quarter of a second of one processor. Sign-ins must not take all of them. */
    private static final int PARALLEL = 2;

    private static final long LONGEST_WAIT_SECONDS = 20;

    private final UsersFile users;
    private final Sessions sessions;
    private final LoginThrottle throttle;
    private final ClientAddress addresses;
    private final boolean encrypted;
    private final Semaphore hashing = new Semaphore(PARALLEL, true);

    /** @param encrypted whether browsers reach this server through TLS */
    public PasswordAccess(
            UsersFile users,
            Duration idle,
            Duration limit,
            ClientAddress addresses,
            boolean encrypted,
            InstantSource clock) {
        this.users = users;
        this.sessions = new Sessions(idle, limit, clock);
        this.throttle = new LoginThrottle(clock);
        this.addresses = addresses;
        this.encrypted = encrypted;
    }

    @Override
    public Optional<Caller> caller(Context request) {
        String token = request.cookie(COOKIE);
        return token == null
                ? Optional.empty()
                : sessions.use(token).flatMap(session -> current(session).map(user -> caller(user, session, token)));
    }

    /** The user of the session, as the file describes it now; empty if the user was removed or has another password. */
    private Optional<User> current(Session session) {
        return users.find(session.user()).filter(session::isOf);
    }

    private Caller caller(User user, Session session, String token) {
        return new Caller(
                user.name(),
                user.role(),
                sessions.end(session),
                () -> sessions.find(token).flatMap(this::current).isPresent());
    }

    /** Checks the password and starts a session. An earlier session of this browser ends. */
    Caller signIn(Context request, String name, String password) {
        String address = addresses.network(request);
        throttle.attempt(address, name);
        Optional<User> user = users.find(name);
        boolean right = matches(password, user.map(User::hash).orElse(Passwords.OF_NO_USER));
        if (user.isEmpty() || !right) {
            LOG.warn("Refused a sign-in as {} from {}", LogText.oneLine(name), addresses.of(request));
            throw Refusal.of(Kind.NOT_SIGNED_IN, "The name or the password is wrong.");
        }
        throttle.succeeded(address, name);
        endSession(request);
        String token = sessions.start(user.get());
        setCookie(request, token, -1);
        LOG.info("{} signed in from {}", user.get(), addresses.of(request));
        return caller(user.get(), sessions.use(token).orElseThrow(), token);
    }

    private boolean matches(String password, String hash) {
        try {
            if (!hashing.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw Refusal.of(Kind.TOO_MANY, "Too many users sign in at this moment.", "Try again in a minute.")
                        .header("Retry-After", "60");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.of(Kind.INTERNAL, "The server is stopping.");
        }
        try {
            return Passwords.matches(password, hash);
        } finally {
            hashing.release();
        }
    }

    void signOut(Context request) {
        endSession(request);
        setCookie(request, "", 0);
    }

    private void endSession(Context request) {
        String token = request.cookie(COOKIE);
        if (token != null) {
            sessions.end(token);
        }
    }

    private void setCookie(Context request, String value, int maxAge) {
        request.cookie(new Cookie(COOKIE, value, "/", maxAge, encrypted, true, null, SameSite.STRICT));
    }
}

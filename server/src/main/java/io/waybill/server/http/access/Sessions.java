package io.waybill.server.http.access;

import io.waybill.server.http.access.UsersFile.User;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sessions of signed-in users, in the memory of this process. A restart ends them. */
final class Sessions {
    private static final int TOKEN_BYTES = 32;
    private static final int MOST = 10_000;

    private final Duration idle;
    private final Duration limit;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /** The open sessions by the hash of their token, so that a heap dump or a log of the keys contains no usable token. */
    private final Map<String, Session> open = new LinkedHashMap<>(16, 0.75f, true);

    Sessions(Duration idle, Duration limit, InstantSource clock) {
        this.idle = idle;
        this.limit = limit;
        this.clock = clock;
    }

    /** @param hash the hashed password at the time of the sign-in: a changed password ends the session */
    record Session(String user, String hash, Instant startedAt, Instant usedAt) {
        boolean isOf(User current) {
            return current.hash().equals(hash);
        }
    }

    /** Starts a session with a new random token, and returns the token. */
    synchronized String start(User user) {
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Instant now = clock.instant();
        open.values().removeIf(session -> expired(session, now));
        if (open.size() >= MOST) {
            open.remove(open.keySet().iterator().next()); // the least recently used session
        }
        open.put(key(token), new Session(user.name(), user.hash(), now, now));
        return token;
    }

    /** Returns the session, and counts this as a use of it. */
    synchronized Optional<Session> use(String token) {
        Optional<Session> session = find(token);
        session.ifPresent(found ->
                open.put(key(token), new Session(found.user(), found.hash(), found.startedAt(), clock.instant())));
        return session;
    }

    /** Returns the session without counting this as a use of it. */
    synchronized Optional<Session> find(String token) {
        @Nullable Session session = open.get(key(token));
        if (session == null) {
            return Optional.empty();
        }
        if (expired(session, clock.instant())) {
            open.remove(key(token));
            return Optional.empty();
        }
        return Optional.of(session);
    }

    synchronized void end(String token) {
        open.remove(key(token));
    }

    /** When the session ends if it is not used again. */
    Instant end(Session session) {
        Instant unused = session.usedAt().plus(idle);
        Instant longest = session.startedAt().plus(limit);
        return unused.isBefore(longest) ? unused : longest;
    }

    private boolean expired(Session session, Instant now) {
        return !now.isBefore(end(session));
    }

    private static String key(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

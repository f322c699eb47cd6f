package io.waybill.examples.polyshop.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/** Random tokens, of which the database stores only a hash, and password hashes. */
final class Secrets {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final BCryptPasswordEncoder PASSWORDS = new BCryptPasswordEncoder(10);

    /** The hash that is compared if there is no such user, so that the time of the answer does not reveal this. */
    static final String NO_PASSWORD = PASSWORDS.encode(token());

    private Secrets() {}

    static String token() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    static String hash(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    static String passwordHash(String password) {
        return PASSWORDS.encode(password);
    }

    static boolean matches(String password, String hash) {
        return PASSWORDS.matches(password, hash);
    }
}

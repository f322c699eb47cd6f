package io.waybill.server.http.access;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.BCrypt.Version;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import io.waybill.server.problem.Problem;
import java.security.SecureRandom;
import java.util.Base64;

/** Hashes passwords with bcrypt. A password that is too long for bcrypt is first hashed with SHA-512. */
public final class Passwords {
    private static final Version VERSION = Version.VERSION_2B;
    private static final int COST = 12;
    private static final int SHORTEST = 12;
    private static final int LONGEST = 1_000;
    private static final int GENERATED_BYTES = 18;

    /** The hash that is compared if there is no such user, so that the answer takes the same time. */
    static final String OF_NO_USER = hash(generated());

    private Passwords() {}

    static String hash(String password) {
        return BCrypt.with(VERSION, new SecureRandom(), LongPasswordStrategies.hashSha512(VERSION))
                .hashToString(COST, password.toCharArray());
    }

    static boolean matches(String password, String hash) {
        return BCrypt.verifyer(VERSION, LongPasswordStrategies.hashSha512(VERSION))
                .verify(password.toCharArray(), hash)
                .verified;
    }

    static String generated() {
        byte[] random = new byte[GENERATED_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** Throws a {@link Problem} for a password that is too short or too long. */
    static void requireStrong(String password) {
        if (password.length() < SHORTEST || password.length() > LONGEST) {
            throw Problem.usage("A password must have " + SHORTEST + " to " + LONGEST + " characters, not "
                    + password.length() + ".");
        }
    }
}

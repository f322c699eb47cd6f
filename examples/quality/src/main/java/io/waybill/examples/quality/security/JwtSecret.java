package io.waybill.examples.quality.security;

import io.waybill.examples.quality.QualityProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that signs tokens.
 *
 * @param id names it in tokens, so that those of another key are known for what they are
 */
record JwtSecret(SecretKey key, String id) {
    private static final int SHORTEST = 32;
    private static final String FILE = "jwt-secret";

    static JwtSecret of(QualityProperties properties) {
        String given = properties.jwtSecret();
        return of(given == null || given.isEmpty() ? kept(properties.data()) : given);
    }

    private static JwtSecret of(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < SHORTEST) {
            throw new JwtSecretException(
                    "quality.jwt-secret has " + bytes.length + " bytes; HS256 needs " + SHORTEST + " or more.");
        }
        return new JwtSecret(new SecretKeySpec(bytes, "HmacSHA256"), fingerprint(bytes));
    }

    /** Made by the first start, for its owner's eyes only; tokens then outlive a restart. */
    private static String kept(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            Files.createDirectories(folder);
            if (!Files.exists(file)) {
                make(folder, file);
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot keep the token secret in " + file + ".", e);
        }
    }

    /** Moved into place when it is whole: another process that starts now must not read half of it. */
    private static void make(Path folder, Path file) throws IOException {
        byte[] random = new byte[SHORTEST];
        new SecureRandom().nextBytes(random);
        Path whole = Files.createTempFile(
                folder, FILE, "", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(whole, HexFormat.of().formatHex(random));
        try {
            Files.createLink(file, whole);
        } catch (FileAlreadyExistsException other) {
            // made in this moment by another process; that one counts
        }
        Files.delete(whole);
    }

    private static String fingerprint(byte[] secret) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(secret);
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Says nothing. */
    @Override
    public String toString() {
        return "JwtSecret";
    }
}

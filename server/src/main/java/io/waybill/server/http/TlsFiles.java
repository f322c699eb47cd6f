package io.waybill.server.http;

import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of the HTTP server and its key.
 *
 * @param certificate a PEM chain, or a PKCS#12 key store with the key
 * @param key the key as PEM; null if it is in the key store
 * @param password of the key store
 */
record TlsFiles(Path certificate, @Nullable Path key, Optional<String> password) {
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    /** The password of the key store in memory; it protects nothing. */
    static final char[] IN_MEMORY = {};

    /** Returns a key store with the certificate and its key. */
    KeyStore load() {
        try {
            return key == null ? keyStore() : pem(key);
        } catch (IOException | GeneralSecurityException e) {
            throw new Problem(
                    Exit.USAGE,
                    "Cannot read the TLS certificate " + certificate + (key == null ? "" : " and its key " + key) + ": "
                            + e + ". Check http.tls-certificate, http.tls-key and http.tls-password.",
                    e);
        }
    }

    private KeyStore keyStore() throws IOException, GeneralSecurityException {
        char[] secret = password.orElse("").toCharArray();
        KeyStore given = KeyStore.getInstance("PKCS12");
        given.load(new ByteArrayInputStream(Files.readAllBytes(certificate)), secret);
        for (String alias : Collections.list(given.aliases())) {
            if (given.getKey(alias, secret) instanceof PrivateKey found) {
                return single(found, given.getCertificateChain(alias));
            }
        }
        throw new IOException("the key store contains no private key");
    }

    private KeyStore pem(Path keyFile) throws IOException, GeneralSecurityException {
        Certificate[] chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificate)))
                .toArray(new Certificate[0]);
        if (chain.length == 0) {
            throw new IOException("the file contains no certificate");
        }
        Matcher text = PRIVATE_KEY.matcher(Files.readString(keyFile, StandardCharsets.US_ASCII));
        if (!text.find()) {
            throw new IOException("the key is not PEM with BEGIN PRIVATE KEY (PKCS#8 without password)");
        }
        byte[] encoded = Base64.getMimeDecoder().decode(text.group(1));
        InvalidKeySpecException refused = new InvalidKeySpecException();
        for (String algorithm : ALGORITHMS) {
            try {
                PrivateKey found = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
                return single(found, chain);
            } catch (InvalidKeySpecException another) {
                refused = another;
            }
        }
        throw new IOException("the key is neither RSA, EC nor Ed25519", refused);
    }

    private static KeyStore single(PrivateKey key, Certificate[] chain) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, IN_MEMORY);
        store.setKeyEntry("waybill", key, IN_MEMORY, chain);
        return store;
    }
}

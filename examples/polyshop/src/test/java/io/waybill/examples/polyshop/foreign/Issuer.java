package io.waybill.examples.polyshop.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import io.waybill.examples.polyshop.service.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The auth service as other services see it: a key set, and tokens. */
public final class Issuer implements AutoCloseable {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final KeyPair keys;
    private final HttpServer server;

    public Issuer() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            keys = generator.generateKeyPair();
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        RSAPublicKey key = (RSAPublicKey) keys.getPublic();
        String set = Json.write(Map.of(
                "keys",
                List.of(Map.of(
                        "kty", "RSA",
                        "kid", "k1",
                        "use", "sig",
                        "alg", "RS256",
                        "n", number(key.getModulus()),
                        "e", number(key.getPublicExponent())))));
        server.createContext("/jwks", exchange -> {
            exchange.sendResponseHeaders(200, set.length());
            exchange.getResponseBody().write(set.getBytes(UTF_8));
            exchange.close();
        });
        server.start();
    }

    public String jwksUrl() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/jwks";
    }

    /** Returns the value of a header Authorization. */
    public String bearer(String user, String... roles) {
        return bearer(user, "k1", Instant.now().plusSeconds(600), roles);
    }

    public String bearer(String user, String keyId, Instant expires, String... roles) {
        String text = encode(Map.of("alg", "RS256", "kid", keyId)) + "."
                + encode(Map.of(
                        "iss",
                        "polyshop-auth",
                        "aud",
                        "polyshop-public",
                        "sub",
                        user,
                        "roles",
                        List.of(roles),
                        "exp",
                        expires.getEpochSecond()));
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(text.getBytes(UTF_8));
            return "Bearer " + text + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String encode(Map<String, ?> json) {
        return BASE64.encodeToString(Json.write(json).getBytes(UTF_8));
    }

    private static String number(BigInteger value) {
        byte[] bytes = value.toByteArray();
        int sign = bytes[0] == 0 ? 1 : 0;
        return BASE64.encodeToString(java.util.Arrays.copyOfRange(bytes, sign, bytes.length));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

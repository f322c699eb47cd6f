package io.waybill.server.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.waybill.server.http.ConsoleServer.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bearer tokens: those of the issuer are accepted, and every forged one is refused. */
class ForgedTokensTest {
    private static final String ISSUER = "https://issuer.example";
    private static final String AUDIENCE = "waybill";
    private static final String EVENTS = ConsoleServer.MAIN + "/events";
    private static final AtomicInteger LOADED = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static RSAKey rsa;
    private static RSAKey foreign;
    private static ECKey ec;
    private static HttpServer keys;
    private static ConsoleServer console;
    private static final Map<String, String> FORGED = new LinkedHashMap<>();

    @BeforeAll
    static void start() throws Exception {
        rsa = new RSAKeyGenerator(2048).keyID("rsa").generate();
        foreign = new RSAKeyGenerator(2048).keyID("rsa").generate();
        ec = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
        byte[] set = new JWKSet(List.of(rsa.toPublicJWK(), ec.toPublicJWK()))
                .toString()
                .getBytes(StandardCharsets.UTF_8);
        keys = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        keys.createContext("/keys", exchange -> {
            LOADED.incrementAndGet();
            exchange.sendResponseHeaders(200, set.length);
            exchange.getResponseBody().write(set);
            exchange.close();
        });
        keys.start();
        console = ConsoleServer.start(
                folder,
                Map.of(
                        "http.sign-in",
                        "token",
                        "http.token-keys",
                        "http://127.0.0.1:" + keys.getAddress().getPort() + "/keys",
                        "http.token-issuer",
                        ISSUER,
                        "http.token-audience",
                        AUDIENCE,
                        "http.token-roles",
                        "realm_access.roles"));
        FORGED.putAll(forged());
    }

    @AfterAll
    static void stop() {
        console.close();
        keys.stop(0);
    }

    private static JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience(AUDIENCE)
                .subject("alice")
                .claim("realm_access", Map.of("roles", List.of("other", "waybill-operator")))
                .expirationTime(Date.from(Instant.now().plusSeconds(3_600)));
    }

    private static JWSHeader.Builder header(JWSAlgorithm algorithm, String keyId) {
        return new JWSHeader.Builder(algorithm).type(JOSEObjectType.JWT).keyID(keyId);
    }

    private static String sign(JWSHeader header, JWTClaimsSet claims, JWSSigner signer) {
        try {
            SignedJWT token = new SignedJWT(header, claims);
            token.sign(signer);
            return token.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String good(JWTClaimsSet claims) throws JOSEException {
        return sign(header(JWSAlgorithm.RS256, "rsa").build(), claims, new RSASSASigner(rsa));
    }

    private static Reply call(String token) {
        return console.get(EVENTS, "Authorization", "Bearer " + token);
    }

    @Test
    void aTokenOfTheIssuerIsAcceptedWithItsRole() throws Exception {
        assertThat(call(good(claims().build())).status()).isEqualTo(200);
        String byEc = sign(header(JWSAlgorithm.ES256, "ec").build(), claims().build(), new ECDSASigner(ec));
        assertThat(call(byEc).status()).isEqualTo(200);
        Reply session = console.get("/api/v1/session", "Authorization", "Bearer " + byEc);
        assertThat(session.json().get("user").asString()).isEqualTo("alice");
        assertThat(session.json().get("role").asString()).isEqualTo("operator");
        String withoutRole = good(
                claims().claim("realm_access", Map.of("roles", List.of("root"))).build());
        assertThat(call(withoutRole).status()).isEqualTo(403);
        assertThat(console.get(EVENTS).status()).isEqualTo(401);
        assertThat(console.signIn("alice", "password").status()).isEqualTo(409);
    }

    static Stream<String> forgeries() {
        return FORGED.keySet().stream();
    }

    private static Map<String, String> forged() throws Exception {
        Map<String, String> all = new LinkedHashMap<>();
        String good = good(claims().build());
        String[] parts = good.split("\\.", -1);
        String plainClaims = parts[1];
        all.put("alg none", Base64URL.encode("{\"alg\":\"none\"}") + "." + plainClaims + ".");
        all.put("alg None", Base64URL.encode("{\"alg\":\"None\",\"typ\":\"JWT\"}") + "." + plainClaims + ".");
        all.put(
                "alg none with the signature",
                Base64URL.encode("{\"alg\":\"none\"}") + "." + plainClaims + "." + parts[2]);
        all.put("signature stripped", parts[0] + "." + parts[1] + ".");
        all.put("signature missing", parts[0] + "." + parts[1]);
        all.put(
                "signature of another token",
                parts[0] + "." + parts[1] + "."
                        + good(claims().subject("bob").build()).split("\\.", -1)[2]);
        all.put(
                "claims replaced",
                parts[0] + "."
                        + Base64URL.encode(claims().subject("root").build().toString()) + "." + parts[2]);
        all.put(
                "HS256 with the public key",
                sign(
                        header(JWSAlgorithm.HS256, "rsa").build(),
                        claims().build(),
                        new MACSigner(rsa.toRSAPublicKey().getEncoded())));
        all.put(
                "HS256 with the text of the key",
                sign(
                        header(JWSAlgorithm.HS256, "rsa").build(),
                        claims().build(),
                        new MACSigner(rsa.toPublicJWK().toJSONString())));
        all.put(
                "algorithm that is not configured",
                sign(header(JWSAlgorithm.RS512, "rsa").build(), claims().build(), new RSASSASigner(rsa)));
        all.put(
                "PS256 with an RS256 key",
                sign(header(JWSAlgorithm.PS256, "rsa").build(), claims().build(), new RSASSASigner(rsa)));
        all.put(
                "another key with the same id",
                sign(header(JWSAlgorithm.RS256, "rsa").build(), claims().build(), new RSASSASigner(foreign)));
        all.put(
                "unknown key id",
                sign(header(JWSAlgorithm.RS256, "unknown").build(), claims().build(), new RSASSASigner(foreign)));
        all.put(
                "key id of another type",
                sign(header(JWSAlgorithm.RS256, "ec").build(), claims().build(), new RSASSASigner(rsa)));
        all.put(
                "key id that is a path",
                sign(
                        header(JWSAlgorithm.RS256, "../../../../dev/null").build(),
                        claims().build(),
                        new RSASSASigner(foreign)));
        all.put(
                "embedded key",
                sign(
                        header(JWSAlgorithm.RS256, "rsa")
                                .jwk(foreign.toPublicJWK())
                                .build(),
                        claims().build(),
                        new RSASSASigner(foreign)));
        all.put(
                "address of another key set",
                sign(
                        header(JWSAlgorithm.RS256, "rsa")
                                .jwkURL(URI.create("https://evil.example/keys"))
                                .build(),
                        claims().build(),
                        new RSASSASigner(foreign)));
        all.put(
                "expired",
                good(claims().expirationTime(Date.from(Instant.now().minusSeconds(120)))
                        .build()));
        all.put("without expiry", good(claims().expirationTime(null).build()));
        all.put(
                "not yet valid",
                good(claims().notBeforeTime(Date.from(Instant.now().plusSeconds(600)))
                        .build()));
        all.put("wrong issuer", good(claims().issuer(ISSUER + ".evil").build()));
        all.put("without issuer", good(claims().issuer(null).build()));
        all.put("wrong audience", good(claims().audience("another").build()));
        all.put("without audience", good(claims().audience((String) null).build()));
        all.put("without user", good(claims().subject(null).build()));
        all.put(
                "a type that is no access token",
                sign(
                        header(JWSAlgorithm.RS256, "rsa")
                                .type(new JOSEObjectType("logout+jwt"))
                                .build(),
                        claims().build(),
                        new RSASSASigner(rsa)));
        all.put(
                "unknown critical header",
                sign(
                        header(JWSAlgorithm.RS256, "rsa")
                                .criticalParams(Set.of("x"))
                                .customParam("x", 1)
                                .build(),
                        claims().build(),
                        new RSASSASigner(rsa)));
        all.put("no token", "garbage");
        all.put("empty", "");
        return all;
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void aForgedTokenIsRefused(String name) {
        Reply reply = call(requireNonNull(FORGED.get(name)));
        assertThat(reply.status()).as(name + reply.body()).isEqualTo(401);
        assertThat(reply.header("www-authenticate")).contains("invalid_token");
        assertThat(reply.json().get("detail").asString()).isEqualTo("The token is not valid.");
    }

    @Test
    void unknownKeysDoNotFloodTheIssuer() throws Exception {
        for (int i = 0; i < 50; i++) {
            call(sign(header(JWSAlgorithm.RS256, "unknown-" + i).build(), claims().build(), new RSASSASigner(foreign)));
        }
        assertThat(LOADED.get()).isLessThan(10);
        assertThat(call(good(claims().build())).status()).isEqualTo(200);
    }
}

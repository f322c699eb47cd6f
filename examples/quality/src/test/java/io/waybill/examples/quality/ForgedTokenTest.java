package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.OctetSequenceKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Forged tokens are refused. The first test shows that a token with the right key and claims is accepted. */
class ForgedTokenTest {
    private static final byte[] SECRET = Service.SECRET.getBytes(StandardCharsets.UTF_8);

    private final Api api = Service.shared().api();

    @Test
    void aTokenWithTheRightKeyAndClaimsIsAccepted() throws Exception {
        assertThat(status(signed(header().build(), claims().build(), new MACSigner(SECRET))))
                .isEqualTo(200);
    }

    @TestFactory
    Stream<DynamicTest> everyOtherOneIsRefused() throws Exception {
        return forged().entrySet().stream()
                .map(forged -> DynamicTest.dynamicTest(forged.getKey(), () -> {
                    Api.Answer answer = api.send(api.request("GET", "/kpi", forged.getValue(), null));
                    assertThat(answer.status()).isEqualTo(401);
                    assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
                    assertThat(answer.body().path("detail").asString()).contains("/auth/login");
                }));
    }

    private Map<String, String> forged() throws Exception {
        JWSSigner ours = new MACSigner(SECRET);
        OctetSequenceKey own = new OctetSequenceKeyGenerator(256).keyID("own").generate();
        RSAKey rsa = new RSAKeyGenerator(2048).keyID(kid()).generate();
        Instant now = Instant.now();
        Map<String, String> forged = new LinkedHashMap<>();
        forged.put("alg none", new PlainJWT(claims().build()).serialize());
        forged.put("wrong key", signed(header().build(), claims().build(), new MACSigner(own)));
        forged.put(
                "RS256",
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(kid()).build(),
                        claims().build(),
                        new RSASSASigner(rsa)));
        forged.put(
                "HS256 with a public key as the secret",
                signed(
                        header().build(),
                        claims().build(),
                        new MACSigner(rsa.toRSAPublicKey().getEncoded())));
        forged.put(
                "HS512 with the right key",
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.HS512).keyID(kid()).build(),
                        claims().build(),
                        new MACSigner((Service.SECRET + Service.SECRET).getBytes(StandardCharsets.UTF_8))));
        forged.put("unknown key id", signed(header().keyID("other").build(), claims().build(), ours));
        forged.put("no key id", signed(new JWSHeader(JWSAlgorithm.HS256), claims().build(), ours));
        forged.put(
                "embedded key", signed(header().jwk(rsa.toPublicJWK()).build(), claims().build(), new MACSigner(own)));
        forged.put(
                "expired",
                signed(
                        header().build(),
                        claims().expirationTime(Date.from(now.minusSeconds(60))).build(),
                        ours));
        forged.put(
                "without an end",
                signed(header().build(), claims().expirationTime(null).build(), ours));
        forged.put(
                "not yet valid",
                signed(
                        header().build(),
                        claims().notBeforeTime(Date.from(now.plusSeconds(60))).build(),
                        ours));
        forged.put(
                "other audience",
                signed(header().build(), claims().audience("shop").build(), ours));
        forged.put(
                "no audience",
                signed(header().build(), claims().audience((String) null).build(), ours));
        forged.put(
                "other issuer", signed(header().build(), claims().issuer("shop").build(), ours));
        forged.put(
                "no role", signed(header().build(), claims().claim("role", null).build(), ours));
        forged.put(
                "unknown role",
                signed(header().build(), claims().claim("role", "root").build(), ours));
        forged.put(
                "role as a list",
                signed(
                        header().build(),
                        claims().claim("role", List.of("admin")).build(),
                        ours));
        forged.put("no subject", signed(header().build(), claims().subject(null).build(), ours));
        String whole = api.token("admin");
        forged.put("signature stripped", whole.substring(0, whole.lastIndexOf('.') + 1));
        forged.put("signature cut off", whole.substring(0, whole.lastIndexOf('.')));
        forged.put("claims of another", another(api.token("quality")));
        forged.put("no token at all", "nonsense");
        return forged;
    }

    /** The signature of one token behind the claims of another. */
    private String another(String token) throws ParseException {
        String[] parts = token.split("\\.");
        String claims = SignedJWT.parse(token).getJWTClaimsSet().toString().replace("quality\"", "admin\"");
        parts[1] = Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        return String.join(".", parts);
    }

    private int status(String token) {
        return api.send(api.request("GET", "/kpi", token, null)).status();
    }

    private JWSHeader.Builder header() throws ParseException {
        return new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(kid());
    }

    private String kid() throws ParseException {
        return SignedJWT.parse(api.token("admin")).getHeader().getKeyID();
    }

    private static JWTClaimsSet.Builder claims() {
        Instant now = Instant.now();
        return new JWTClaimsSet.Builder()
                .issuer("quality")
                .audience("quality-api")
                .subject("admin")
                .claim("role", "admin")
                .issueTime(Date.from(now))
                .notBeforeTime(Date.from(now))
                .expirationTime(Date.from(now.plus(Duration.ofMinutes(5))));
    }

    private static String signed(JWSHeader header, JWTClaimsSet claims, JWSSigner signer) throws JOSEException {
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(signer);
        return token.serialize();
    }
}

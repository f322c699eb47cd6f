package io.waybill.examples.polyshop.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.waybill.examples.polyshop.service.Rows;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.examples.polyshop.service.Tokens;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.UUID;

/** Signs access tokens with RS256. The key is kept in the database, so that tokens stay valid when the service restarts. */
final class SigningKey {
    static final Duration LIFETIME = Duration.ofMinutes(15);

    private final RSAKey key;

    private SigningKey(RSAKey key) {
        this.key = key;
    }

    /** Returns the stored key; creates it at the first start. */
    static SigningKey of(ServiceRuntime runtime) {
        String stored = runtime.transaction(connection -> {
            Rows.update(connection, "LOCK TABLE signing_keys IN EXCLUSIVE MODE");
            List<String> keys = Rows.list(
                    connection, "SELECT jwk FROM signing_keys ORDER BY created_at DESC", row -> row.getString(1));
            if (!keys.isEmpty()) {
                return keys.get(0);
            }
            RSAKey created = generate();
            Rows.update(
                    connection,
                    "INSERT INTO signing_keys (kid, jwk) VALUES (?, ?)",
                    created.getKeyID(),
                    created.toJSONString());
            return created.toJSONString();
        });
        try {
            return new SigningKey(RSAKey.parse(stored));
        } catch (ParseException e) {
            throw new IllegalStateException("The table signing_keys has a row that is no key.", e);
        }
    }

    private static RSAKey generate() {
        try {
            return new RSAKeyGenerator(2048)
                    .keyUse(KeyUse.SIGNATURE)
                    .algorithm(JWSAlgorithm.RS256)
                    .keyID(UUID.randomUUID().toString())
                    .generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e); // every Java has RSA
        }
    }

    /** Returns the public part, as {@code /.well-known/jwks.json} serves it. */
    String jwks() {
        return new JWKSet(key).toString(true);
    }

    String accessToken(UUID user, List<String> roles, UUID session) {
        Instant now = Instant.now();
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .type(new JOSEObjectType(Tokens.TYPE))
                        .keyID(key.getKeyID())
                        .build(),
                new JWTClaimsSet.Builder()
                        .issuer(Tokens.ISSUER)
                        .audience(Tokens.AUDIENCE)
                        .subject(user.toString())
                        .claim("roles", roles)
                        .claim("sid", session.toString())
                        .jwtID(UUID.randomUUID().toString())
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(now.plus(LIFETIME)))
                        .build());
        try {
            token.sign(new RSASSASigner(key));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
        return token.serialize();
    }
}

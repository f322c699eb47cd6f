package io.waybill.examples.polyshop.service;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.MalformedURLException;
import java.net.URI;
import java.text.ParseException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the access tokens that the service auth signs: RS256 by a key of its JWKS, issuer, audience and time. */
public final class Tokens {
    public static final String ISSUER = "polyshop-auth";
    public static final String AUDIENCE = "polyshop-public";
    /** The header {@code typ} of access tokens; a token of another kind is no access token. */
    public static final String TYPE = "at+jwt";

    private static final String PREFIX = "Bearer ";
    private static final int TIMEOUT_MILLIS = 2_000;

    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    private Tokens(JWKSource<SecurityContext> keys) {
        processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType(TYPE)));
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.RS256, keys));
        processor.setJWTClaimsSetVerifier(new DefaultJWTClaimsVerifier<>(
                Set.of(AUDIENCE),
                new JWTClaimsSet.Builder().issuer(ISSUER).build(),
                Set.of("sub", "exp", "iat", "jti", "roles"),
                null));
    }

    /** Fetches the keys when they are needed, and again when a token names an unknown key. */
    public static Tokens of(String jwksUrl) {
        try {
            return new Tokens(JWKSourceBuilder.create(
                            URI.create(jwksUrl).toURL(),
                            new com.nimbusds.jose.util.DefaultResourceRetriever(
                                    TIMEOUT_MILLIS, TIMEOUT_MILLIS, 100_000))
                    .retrying(true)
                    .rateLimited(10_000)
                    .outageTolerant(true)
                    .build());
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("JWKS_URL is not a URL: " + jwksUrl, e);
        }
    }

    public static Tokens of(JWKSource<SecurityContext> keys) {
        return new Tokens(keys);
    }

    /** @param authorization the header; null if the request has none */
    public Caller check(@Nullable String authorization) {
        if (authorization == null || !authorization.startsWith(PREFIX)) {
            throw ApiException.unauthorized("The request needs a token: Authorization: Bearer <access token>.");
        }
        try {
            JWTClaimsSet claims = processor.process(authorization.substring(PREFIX.length()), null);
            List<String> roles = claims.getStringListClaim("roles");
            String session = claims.getStringClaim("sid");
            return new Caller(
                    claims.getSubject(), Set.copyOf(roles == null ? List.of() : roles), session == null ? "" : session);
        } catch (KeySourceException e) {
            throw new ApiException(503, "KEYS_UNAVAILABLE", "The keys of the service auth cannot be read. Retry.");
        } catch (BadJOSEException | JOSEException | ParseException e) {
            throw ApiException.unauthorized("The token is invalid or has expired.");
        }
    }
}

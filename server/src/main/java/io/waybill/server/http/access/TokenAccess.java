package io.waybill.server.http.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.javalin.http.Context;
import io.waybill.server.http.request.Authentication;
import io.waybill.server.http.request.Caller;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.server.http.request.Role;
import java.net.URL;
import java.text.ParseException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Users send a bearer token (JWT) of one issuer. Only its public keys and the configured algorithms are accepted. */
public final class TokenAccess implements Authentication {
    private static final Logger LOG = LoggerFactory.getLogger(TokenAccess.class);
    private static final String SCHEME = "bearer ";
    private static final int LONGEST_TOKEN = 12_000;
    private static final int LONGEST_NAME = 200;
    private static final int CLOCK_SKEW_SECONDS = 30;
    private static final int KEYS_TIMEOUT_MILLIS = 5_000;
    private static final int LARGEST_KEYS = 200_000;
    private static final long KEYS_LIFE_MILLIS = 5 * 60_000;
    private static final long KEYS_INTERVAL_MILLIS = 30_000;
    private static final String ROLE_PREFIX = "waybill-";

    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    private final TokenRules rules;

    /**
     * Which tokens are accepted.
     *
     * @param user the claim with the name of the user
     * @param roles the claim with the roles; dots separate the parts of a nested claim
     */
    public record TokenRules(
            URL keys, String issuer, String audience, Set<JWSAlgorithm> algorithms, String user, String roles) {
        public TokenRules {
            algorithms = Set.copyOf(algorithms);
        }
    }

    public TokenAccess(TokenRules rules) {
        this.rules = rules;
        // A token with an unknown key id makes the keys load again. Without the limit, forged tokens would flood the
        // issuer.
        JWKSource<SecurityContext> keys = JWKSourceBuilder.<SecurityContext>create(
                        rules.keys(),
                        new DefaultResourceRetriever(KEYS_TIMEOUT_MILLIS, KEYS_TIMEOUT_MILLIS, LARGEST_KEYS))
                .cache(KEYS_LIFE_MILLIS, 2L * KEYS_TIMEOUT_MILLIS)
                .rateLimited(KEYS_INTERVAL_MILLIS)
                .refreshAheadCache(false)
                .build();
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(rules.algorithms(), keys));
        DefaultJWTClaimsVerifier<SecurityContext> claims = new DefaultJWTClaimsVerifier<>(
                rules.audience(),
                new JWTClaimsSet.Builder().issuer(rules.issuer()).build(),
                Set.of("exp", rules.user()));
        claims.setMaxClockSkew(CLOCK_SKEW_SECONDS);
        processor.setJWTClaimsSetVerifier(claims);
    }

    @Override
    public Optional<Caller> caller(Context request) {
        String header = request.header("Authorization");
        if (header == null) {
            return Optional.empty();
        }
        if (header.length() > LONGEST_TOKEN || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw invalid();
        }
        JWTClaimsSet claims = claims(header.substring(SCHEME.length()).strip());
        String name = name(claims);
        Instant end = claims.getExpirationTime().toInstant().plusSeconds(CLOCK_SKEW_SECONDS);
        Role role = role(claims)
                .orElseThrow(() -> Refusal.of(
                        Kind.NOT_ALLOWED,
                        "The token of " + name + " names no role of Waybill.",
                        "Let the issuer add viewer, operator or admin to the claim " + rules.roles() + "."));
        return Optional.of(new Caller(name, role, null, () -> Instant.now().isBefore(end)));
    }

    private JWTClaimsSet claims(String token) {
        try {
            return processor.process(SignedJWT.parse(token), null);
        } catch (ParseException | BadJOSEException e) {
            LOG.debug("Refused a token: {}", e.toString());
            throw invalid();
        } catch (RateLimitReachedException e) {
            LOG.debug("Refused a token with an unknown key; the keys were loaded a moment ago");
            throw invalid();
        } catch (JWKSetUnavailableException e) {
            LOG.warn("Cannot load the keys of the token issuer from {}: {}", rules.keys(), e.toString());
            throw Refusal.of(
                    Kind.UNAVAILABLE, "The keys of the token issuer cannot be loaded.", "See the log of this process.");
        } catch (KeySourceException e) {
            LOG.debug("Refused a token: {}", e.toString());
            throw invalid();
        } catch (JOSEException e) {
            LOG.debug("Refused a token: {}", e.toString());
            throw invalid();
        }
    }

    private static Refusal invalid() {
        return Refusal.of(Kind.NOT_SIGNED_IN, "The token is not valid.")
                .header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    }

    private String name(JWTClaimsSet claims) {
        Object name = claims.getClaim(rules.user());
        if (name instanceof String text && !text.isBlank() && text.length() <= LONGEST_NAME) {
            return text;
        }
        throw invalid();
    }

    /** Returns the largest role that the token names. */
    private Optional<Role> role(JWTClaimsSet claims) {
        @Nullable Object value = claims.getClaims().get(rules.roles());
        if (value == null) {
            value = nested(claims.getClaims(), rules.roles());
        }
        Collection<?> named = value instanceof Collection<?> many
                ? many
                : value instanceof String one ? List.of(one.split(" ", -1)) : List.of();
        return named.stream()
                .filter(Objects::nonNull)
                .flatMap(role -> role instanceof String text ? Stream.of(text) : Stream.empty())
                .map(text -> text.startsWith(ROLE_PREFIX) ? text.substring(ROLE_PREFIX.length()) : text)
                .flatMap(text -> Role.of(text).stream())
                .max(Role::compareTo);
    }

    private static @Nullable Object nested(Map<String, Object> claims, String path) {
        @Nullable Object value = claims;
        for (String part : path.split("\\.", -1)) {
            value = value instanceof Map<?, ?> map ? map.get(part) : null;
        }
        return value;
    }
}

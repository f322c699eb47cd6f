package io.waybill.examples.quality.security;

import io.waybill.examples.quality.QualityProperties;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/** Issues and validates tokens: signed with HS256 by this service, for this service, not expired, with an existing role. */
@Configuration(proxyBeanMethods = false)
class Tokens {
    static final String ROLE = "role";
    static final String ISSUER = "quality";
    static final String AUDIENCE = "quality-api";

    private static final Duration LIFETIME = Duration.ofMinutes(60);
    /** Tolerated difference between the clocks of two machines. */
    private static final Duration SKEW = Duration.ofSeconds(5);

    private final JwtSecret secret;
    private final JwtEncoder encoder;
    private final Clock clock;

    Tokens(QualityProperties properties, Clock clock) {
        this.secret = JwtSecret.of(properties);
        this.encoder = NimbusJwtEncoder.withSecretKey(secret.key())
                .jwkPostProcessor(key -> key.keyID(secret.id()))
                .build();
        this.clock = clock;
    }

    String issue(String user, Role role) {
        Instant now = clock.instant();
        JwtClaimsSet claims = JwtClaimsSet.builder()
                .issuer(ISSUER)
                .audience(List.of(AUDIENCE))
                .subject(user)
                .claim(ROLE, role.claim())
                .issuedAt(now)
                .notBefore(now)
                .expiresAt(now.plus(LIFETIME))
                .build();
        JwsHeader header = JwsHeader.with(MacAlgorithm.HS256).keyId(secret.id()).build();
        return encoder.encode(JwtEncoderParameters.from(header, claims)).getTokenValue();
    }

    @Bean
    JwtDecoder jwtDecoder() {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(secret.key())
                .macAlgorithm(MacAlgorithm.HS256)
                .build();
        JwtTimestampValidator times = new JwtTimestampValidator(SKEW);
        times.setClock(clock);
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(times, this::claims));
        return decoder;
    }

    private OAuth2TokenValidatorResult claims(Jwt token) {
        boolean ours = secret.id().equals(token.getHeaders().get("kid"))
                && ISSUER.equals(token.getClaimAsString("iss"))
                && List.of(AUDIENCE).equals(token.getAudience())
                && token.getExpiresAt() != null
                && token.getIssuedAt() != null
                && token.getSubject() != null
                && Role.of(token.getClaims().get(ROLE)).isPresent();
        return ours
                ? OAuth2TokenValidatorResult.success()
                : OAuth2TokenValidatorResult.failure(new OAuth2Error("invalid_token"));
    }
}

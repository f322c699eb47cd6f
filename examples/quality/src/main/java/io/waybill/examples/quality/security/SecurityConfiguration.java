package io.waybill.examples.quality.security;

import io.waybill.examples.quality.web.Problems;
import jakarta.servlet.DispatcherType;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Configures tokens, roles and headers. There are no sessions and no cookies, so a foreign page cannot make a browser authenticate. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
class SecurityConfiguration {

    @Bean
    SecurityFilterChain security(
            HttpSecurity http, Problems problems, List<RequestMappingInfoHandlerMapping> mappings) {
        UnmappedRequests unmapped = new UnmappedRequests(mappings);
        AuthenticationEntryPoint unauthenticated = (request, response, e) -> {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
            problems.write(
                    request,
                    response,
                    Problems.of(
                            HttpStatus.UNAUTHORIZED,
                            "The token is missing, invalid or expired. POST /auth/login gives one."));
        };
        AccessDeniedHandler forbidden = (request, response, e) ->
                problems.write(request, response, Problems.of(HttpStatus.FORBIDDEN, "Your role may not do this."));
        return http.csrf(csrf -> csrf.disable())
                .formLogin(form -> form.disable())
                .httpBasic(basic -> basic.disable())
                .logout(logout -> logout.disable())
                .requestCache(cache -> cache.disable())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .headers(headers -> headers.addHeaderWriter(new ContentSecurityPolicy())
                        .frameOptions(frame -> frame.deny())
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.NO_REFERRER)))
                .authorizeHttpRequests(requests -> {
                    requests.dispatcherTypeMatchers(DispatcherType.ERROR).permitAll();
                    for (Access rule : Access.RULES) {
                        var route = requests.requestMatchers(rule.method(), rule.path());
                        if (rule.roles().isEmpty()) {
                            route.permitAll();
                        } else {
                            route.hasAnyRole(rule.authorities());
                        }
                    }
                    requests.anyRequest().access(unmapped);
                })
                .exceptionHandling(errors ->
                        errors.authenticationEntryPoint(unauthenticated).accessDeniedHandler(forbidden))
                .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.jwtAuthenticationConverter(authorities()))
                        .authenticationEntryPoint(unauthenticated)
                        .accessDeniedHandler(forbidden))
                .build();
    }

    private static JwtAuthenticationConverter authorities() {
        JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
        converter.setJwtGrantedAuthoritiesConverter(
                token -> Role.of(token.getClaims().get(Tokens.ROLE))
                        .map(role -> AuthorityUtils.createAuthorityList("ROLE_" + role.name()))
                        .orElseGet(List::of));
        return converter;
    }
}

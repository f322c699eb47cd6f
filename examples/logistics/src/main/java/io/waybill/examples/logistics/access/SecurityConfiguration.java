package io.waybill.examples.logistics.access;

import jakarta.servlet.DispatcherType;
import java.util.stream.Stream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;

/**
 * The roles that may call each route; all other routes are refused. There are no sessions. A foreign page cannot use the password
 * that a browser has stored: requests that change something have a JSON body, for which browsers ask the service first.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    private static final String[] ORDERS = {"/v1/orders", "/v1/orders/*", "/v2/orders", "/v2/orders/*"};

    @Bean
    SecurityFilterChain security(HttpSecurity http) {
        return http.csrf(csrf -> csrf.disable())
                .httpBasic(Customizer.withDefaults())
                .logout(logout -> logout.disable())
                .requestCache(cache -> cache.disable())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
                        .permitAll()
                        .requestMatchers(HttpMethod.GET, "/actuator/health", "/actuator/prometheus")
                        .permitAll()
                        .requestMatchers("/actuator/outbox", "/actuator/outbox/*")
                        .hasRole(Role.SUPER_ADMIN.name())
                        .requestMatchers(HttpMethod.GET, ORDERS)
                        .hasAnyRole(all())
                        .requestMatchers(HttpMethod.POST, "/v1/orders", "/v2/orders")
                        .hasAnyRole(Role.DISPATCHER.name(), Role.SUPER_ADMIN.name())
                        .requestMatchers(HttpMethod.PATCH, "/v2/orders/*")
                        .hasAnyRole(Role.DISPATCHER.name(), Role.SUPER_ADMIN.name())
                        .anyRequest()
                        .denyAll())
                .build();
    }

    private static String[] all() {
        return Stream.of(Role.values()).map(Role::name).toArray(String[]::new);
    }
}

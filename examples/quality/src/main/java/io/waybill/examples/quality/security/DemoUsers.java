package io.waybill.examples.quality.security;

import java.util.Arrays;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/**
 * One user for each role; name and password are the role. They are for demonstrations: replace them with your own users. A service
 * with these users refuses to listen on an address that other machines can reach.
 */
@Configuration(proxyBeanMethods = false)
class DemoUsers {
    @Bean
    AuthenticationManager users(Environment environment, ApplicationContext context) {
        if (context instanceof WebServerApplicationContext) {
            new ListeningAddresses(environment).requireLoopback();
        }
        PasswordEncoder passwords = new BCryptPasswordEncoder();
        DaoAuthenticationProvider provider = new DaoAuthenticationProvider(new InMemoryUserDetailsManager(
                Arrays.stream(Role.values()).map(role -> user(role, passwords)).toList()));
        provider.setPasswordEncoder(passwords);
        return new ProviderManager(provider);
    }

    private static UserDetails user(Role role, PasswordEncoder passwords) {
        return User.withUsername(role.claim())
                .password(passwords.encode(role.claim()))
                .roles(role.name())
                .build();
    }
}

package io.waybill.examples.quality.security;

import io.waybill.examples.quality.web.RefusedException;
import io.waybill.examples.quality.web.Text;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** {@code /auth/login}: exchanges a name and a password for a token. */
@RestController
class LoginRoutes {
    private final AuthenticationManager users;
    private final LoginLimit limit;
    private final Tokens tokens;

    LoginRoutes(AuthenticationManager users, LoginLimit limit, Tokens tokens) {
        this.users = users;
        this.limit = limit;
        this.tokens = tokens;
    }

    @PostMapping("/auth/login")
    Answer login(@Valid @RequestBody Login body, HttpServletRequest request) {
        LoginLimit.Attempt attempt = limit.begin(body.username(), request.getRemoteAddr());
        try {
            users.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(body.username(), body.password()));
            attempt.succeeded();
            Role role = Role.of(body.username()).orElseThrow();
            return new Answer(tokens.issue(body.username(), role), "bearer");
        } catch (AuthenticationException e) {
            throw RefusedException.unauthenticated("Name or password is wrong.");
        }
    }

    /** At most as long as the input that BCrypt uses. */
    record Login(
            @Text(max = 72) String username, @Text(max = 72) String password) {
        @Override
        public String toString() {
            return "Login[" + username + "]";
        }
    }

    record Answer(String accessToken, String tokenType) {}
}

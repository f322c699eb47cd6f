package io.waybill.examples.quality.security;

import io.waybill.examples.quality.QualityProperties;
import io.waybill.examples.quality.web.RefusedException;
import java.time.Clock;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Refuses logins of a user name, and of a client address, that has failed too often within the current window.
 *
 * <p>An attempt counts as failed from its beginning, and no longer counts when it succeeds. Counting afterwards would let a client send
 * any number of guesses in parallel, because comparing a password is slow.
 */
@Component
class LoginLimit {
    private static final int MOST_NAMES = 10_000;

    private final FailureWindows users;
    private final FailureWindows addresses;

    LoginLimit(QualityProperties properties, Clock clock) {
        QualityProperties.Login login = properties.login();
        this.users = new FailureWindows(login.failuresPerUser(), login.window(), MOST_NAMES, clock);
        this.addresses = new FailureWindows(login.failuresPerAddress(), login.window(), MOST_NAMES, clock);
    }

    /** Fails with 429 when either has no attempt left. */
    Attempt begin(String user, String address) {
        String network = ClientNetwork.of(address);
        take(addresses, network);
        try {
            take(users, user);
        } catch (RefusedException e) {
            addresses.forgive(network); // no password was compared
            throw e;
        }
        return () -> {
            users.forgive(user);
            addresses.forgive(network);
        };
    }

    private static void take(FailureWindows windows, String name) {
        Duration wait = windows.take(name);
        if (!wait.isZero()) {
            throw RefusedException.tooMany(
                    "Too many failed logins. Try again in " + Math.max(1, wait.toSeconds()) + " seconds.", wait);
        }
    }

    /** A login attempt in progress. */
    interface Attempt {
        void succeeded();
    }
}

package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.server.problem.Problem;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings with which the server does not start, because it would be open to other machines. */
class HttpOptionsTest {
    private static Map<String, String> settings(String text) {
        Map<String, String> settings = new HashMap<>();
        for (String pair : text.split(" ", -1)) {
            settings.put(pair.split("=", -1)[0], pair.split("=", -1)[1]);
        }
        return settings;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http.host=0.0.0.0                                               | http.sign-in",
                "http.host=0.0.0.0                                               | http.tls-certificate",
                "http.host=10.0.0.5 http.sign-in=password                        | http.tls-certificate",
                "http.host=10.0.0.5 http.behind-proxy=true                       | http.sign-in",
                "http.host=127.0.0.1 http.behind-proxy=true                      | http.sign-in",
                "http.host=10.0.0.5 http.tls-certificate=c.pem                   | http.sign-in",
                "http.host=0.0.0.0 http.sign-in=password http.behind-proxy=true  | http.host-names",
                "http.host=:: http.sign-in=password http.behind-proxy=true       | http.host-names",
                "http.host=localhost.evil.example                                | loopback",
                "http.tls-key=k.pem                                              | http.tls-certificate",
                "http.sign-in=token                                              | http.token-keys",
                "http.sign-in=token http.token-keys=http://a/b                   | https",
                "http.sign-in=token http.token-keys=https://a/b                  | http.token-issuer",
                "http.sign-in=token http.token-algorithms=none                   | none",
                "http.sign-in=token http.token-algorithms=HS256                  | HS256",
                "console.mask=card                                               | console.mask"
            })
    void theServerRefusesAndSaysWhatToSet(String text, String remedy) {
        assertThatThrownBy(() -> HttpServerTest.options(settings(text.strip())))
                .isInstanceOf(Problem.class)
                .hasMessageContaining(remedy);
    }

    @ParameterizedTest
    @CsvSource({
        "http.host=127.0.0.1",
        "http.host=localhost",
        "http.host=::1",
        "http.host=10.0.0.5 http.sign-in=password http.behind-proxy=true",
        "http.host=0.0.0.0 http.sign-in=password http.tls-certificate=c.pem http.host-names=a.example"
    })
    void theServerAcceptsSafeSettings(String text) {
        assertThat(HttpServerTest.options(settings(text)).host()).isNotEmpty();
    }
}

package io.waybill.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "nats://planted@host:4222",
                "nats://me:planted@host:4222",
                "nats://me:planted@one:4222,nats://planted@two:4222",
                "nats://me:planted@one:4222,me:planted@two:4222",
                "tls://planted@host",
                "rabbitmq://me:planted@host/vhost",
                "amqps://me:planted@host",
                "kafka://me:planted@host:9092",
                "postgresql://me:planted@host/shop",
                "jdbc:postgresql://host/shop?user=me&password=planted",
                "jdbc:postgresql://host/shop?sslpassword=planted&user=me",
                "jdbc:mariadb://host/shop?trustStorePassword=planted",
                "jdbc:mariadb://host/shop?keyPassphrase=planted",
                "jdbc:h2:tcp://host/shop;USER=me;PASSWORD=planted",
                "jdbc:mysql://host/shop?accessToken=planted",
                "jdbc:mysql://host/shop?client_secret=planted",
                "http://host/?api_key=planted",
                // malformed
                "nats://me:planted@planted@host",
                "nats://me:planted/planted@host",
                "nats://me:planted?planted@host",
                "nats://me:planted#planted@host",
                "nats://me:planted planted@host",
                "me:planted@host:9092",
                "nats:/me:planted@host",
                "rabbitmq//me:planted@host",
                "jdbc:postgresql://me:planted@host:port/shop?x"
            })
    void secretsAreMaskedCompletely(String url) {
        assertThat(Secrets.mask(url)).doesNotContain("planted").contains(Secrets.MASK);
        assertThat(Secrets.maskIn("Cannot reach '" + url + "': no route.", url))
                .doesNotContain("planted")
                .contains("no route.");
        if (url.contains("://")) {
            assertThat(Secrets.strip(url)).doesNotContain("planted");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nats://one:4222,nats://two:4222",
                "kafka://one:9092,two:9092",
                "jdbc:postgresql://host:5432/shop?user=me@corp&sslmode=require",
                "jdbc:h2:~/shop;MODE=PostgreSQL",
                "jdbc:oracle:thin:@host:1521/shop",
                "rabbitmq://host:5672/vhost"
            })
    void anAddressWithoutSecretsIsUnchanged(String url) {
        assertThat(Secrets.mask(url)).isEqualTo(url);
        assertThat(Secrets.strip(url)).isEqualTo(url);
        assertThat(Secrets.maskIn("Cannot reach " + url, url)).isEqualTo("Cannot reach " + url);
    }

    @Test
    void secretSettingsAreRecognizedByTheirNames() {
        for (String name :
                new String[] {"ssl.key.password", "sasl.jaas.config", "SSL_KEYSTORE_PASSPHRASE", "auth.token"}) {
            assertThat(Secrets.isSecret(name)).as(name).isTrue();
        }
        assertThat(Secrets.isSecret("linger.ms")).isFalse();
    }
}

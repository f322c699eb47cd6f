package io.waybill.spring.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.spring.internal.start.StartFailure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The connection settings that Waybill takes from {@code spring.rabbitmq}. */
class RabbitConnectionTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner();

    @Test
    void theAddressComesFromSpringsProperties() {
        runner.withPropertyValues(
                        "spring.rabbitmq.host=mq",
                        "spring.rabbitmq.port=5673",
                        "spring.rabbitmq.username=ann",
                        "spring.rabbitmq.password=p@ss/word: +%",
                        "spring.rabbitmq.virtual-host=shop/eu")
                .run(context -> assertThat(url(context))
                        .isEqualTo("rabbitmq://ann:p%40ss%2Fword%3A%20%2B%25@mq:5673/shop%2Feu"));
    }

    @Test
    void theFirstOfSeveralAddressesNamesUserVirtualHostAndTls() {
        runner.withPropertyValues(
                        "spring.rabbitmq.host=ignored",
                        "spring.rabbitmq.username=ignored",
                        "spring.rabbitmq.addresses=amqps://ann:secret@one:1/shop,two:2")
                .run(context -> assertThat(url(context)).isEqualTo("rabbitmqs://ann:secret@one:1,two:2/shop"));
        runner.withPropertyValues(
                        "spring.rabbitmq.addresses[0]=one",
                        "spring.rabbitmq.addresses[1]=two:2",
                        "spring.rabbitmq.username=ben",
                        "spring.rabbitmq.ssl.enabled=true")
                .run(context -> assertThat(url(context)).isEqualTo("rabbitmqs://ben:guest@one,two:2"));
    }

    @Test
    void theUrlOfWaybillItselfTakesPrecedence() {
        runner.withPropertyValues("waybill.rabbitmq.url=rabbitmq://ours:1", "spring.rabbitmq.host=theirs")
                .run(context -> assertThat(url(context)).isEqualTo("rabbitmq://ours:1"));
    }

    @Test
    void connectionDetailsTakePrecedenceOverSpringsProperties() {
        runner.withUserConfiguration(Container.class)
                .withPropertyValues("spring.rabbitmq.host=ignored")
                .run(context -> assertThat(url(context)).isEqualTo("rabbitmq://ann:secret@localhost:3/%2F"));
    }

    @Test
    void certificatesOfSpringsPropertiesAreRefused() {
        runner.withPropertyValues("spring.rabbitmq.host=mq", "spring.rabbitmq.ssl.bundle=broker")
                .run(context -> assertThatThrownBy(() -> url(context))
                        .isInstanceOf(StartFailure.class)
                        .hasMessageContaining("javax.net.ssl.trustStore"));
    }

    private static String url(AssertableApplicationContext context) {
        return RabbitConnection.url(context.getEnvironment(), context);
    }

    @Configuration(proxyBeanMethods = false)
    static class Container {
        @Bean
        RabbitConnectionDetails broker() {
            return new RabbitConnectionDetails() {
                @Override
                public String getUsername() {
                    return "ann";
                }

                @Override
                public String getPassword() {
                    return "secret";
                }

                @Override
                public String getVirtualHost() {
                    return "/";
                }

                @Override
                public List<Address> getAddresses() {
                    return List.of(new Address("localhost", 3));
                }
            };
        }
    }
}

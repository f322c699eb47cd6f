package io.waybill.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Address;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RabbitAddressTest {
    @Test
    void missingPartsHaveTheDefaultsOfRabbitMq() {
        RabbitAddress address = RabbitAddress.parse("rabbitmq://broker");
        assertThat(address)
                .isEqualTo(new RabbitAddress(List.of(new Address("broker", 5672)), "guest", "guest", "/", false));
    }

    @Test
    void everyPartCanBeGiven() {
        RabbitAddress address =
                RabbitAddress.parse("amqps://us%40er:p%2Fa:s@s@a:1,[::1]:2,c/shop%2Feu".replace("s@s@", "s%40s@"));
        assertThat(address.nodes()).containsExactly(new Address("a", 1), new Address("::1", 2), new Address("c", 5671));
        assertThat(address.user()).isEqualTo("us@er");
        assertThat(address.password()).isEqualTo("p/a:s@s");
        assertThat(address.vhost()).isEqualTo("shop/eu");
        assertThat(address.encrypted()).isTrue();
        assertThat(address.toString()).doesNotContain("us@er", "p/a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://x", "rabbitmq://", "rabbitmq://a:0", "rabbitmq://a:99999", "rabbitmq://u:secret@a b"})
    void anInvalidAddressIsRejectedWithoutQuotingItsPassword(String url) {
        assertThatThrownBy(() -> RabbitAddress.parse(url))
                .hasMessageContaining("RabbitMQ address")
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "#,order.placed,true",
        "order.*,order.placed,true",
        "order.*,order,false",
        "order.#,order,true",
        "order.#,order.placed.twice,true",
        "*.placed,order.placed,true",
        "order.placed,order.placed,true",
        "order.placed,orderxplaced,false"
    })
    void bindingsMatchAsATopicExchangeMatches(String pattern, String topic, boolean matches) {
        assertThat(RabbitDiagnosis.matches(pattern, topic)).isEqualTo(matches);
    }
}

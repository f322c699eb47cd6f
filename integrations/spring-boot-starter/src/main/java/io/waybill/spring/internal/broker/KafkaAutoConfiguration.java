package io.waybill.spring.internal.broker;

import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.spring.InboxFeed;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.outbox.OutboxAutoConfiguration;
import io.waybill.transport.Transport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Kafka as the broker, when its module is on the class path and its address is known. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
            "org.springframework.boot.autoconfigure.kafka.KafkaAutoConfiguration",
            // Ordered after RabbitMQ's auto-configuration, because the choice between the brokers depends on RabbitMQ's
            // connection details.
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
            "org.springframework.boot.autoconfigure.amqp.RabbitAutoConfiguration"
        })
@ConditionalOnClass(KafkaTransport.class)
@ConditionalOnBean(TransactionalOutbox.class)
@Conditional(OnTransport.Kafka.class)
public class KafkaAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(Transport.class)
    KafkaTransport waybillKafkaTransport(WaybillProperties properties, ApplicationContext context) {
        WaybillProperties.Kafka kafka = properties.kafka();
        KafkaConnection connection = KafkaConnection.ofProducer(context.getEnvironment(), context, context);
        return KafkaTransport.builder(connection.servers())
                .sendTimeout(kafka.sendTimeout())
                .settings(connection.settings())
                .settings(kafka.properties())
                .settings(kafka.producer())
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    InboxFeed waybillKafkaFeed(WaybillProperties properties, ApplicationContext context) {
        return inbox -> {
            KafkaConnection connection = KafkaConnection.ofConsumer(context.getEnvironment(), context, context);
            WaybillProperties.Inbox settings = properties.inbox();
            KafkaInbox.Builder consumer = KafkaInbox.builder(connection.servers(), inbox)
                    .workers(settings.workers())
                    .batchSize(settings.batchSize());
            if (!settings.topics().isEmpty()) {
                consumer.topics(settings.topics());
            }
            if (!settings.checkRetention()) {
                consumer.withoutRetentionCheck();
            }
            connection.settings().forEach(consumer::setting);
            properties.kafka().properties().forEach(consumer::setting);
            properties.kafka().consumer().forEach(consumer::setting);
            KafkaInbox started = consumer.build();
            started.start();
            return started;
        };
    }
}

package io.waybill.spring.internal.broker;

import io.waybill.rabbitmq.RabbitInbox;
import io.waybill.rabbitmq.RabbitTransport;
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

/** RabbitMQ as the broker, when its module is on the class path and its address is known. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, KafkaAutoConfiguration.class})
@ConditionalOnClass(RabbitTransport.class)
@ConditionalOnBean(TransactionalOutbox.class)
@Conditional(OnTransport.RabbitMq.class)
public class RabbitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(Transport.class)
    RabbitTransport waybillRabbitTransport(WaybillProperties properties, ApplicationContext context) {
        WaybillProperties.RabbitMq rabbit = properties.rabbitmq();
        return RabbitTransport.builder(RabbitConnection.url(context.getEnvironment(), context))
                .exchange(rabbit.exchange())
                .sendTimeout(rabbit.sendTimeout())
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    InboxFeed waybillRabbitFeed(WaybillProperties properties, ApplicationContext context) {
        return inbox -> {
            WaybillProperties.Inbox settings = properties.inbox();
            WaybillProperties.RabbitMq rabbit = properties.rabbitmq();
            RabbitInbox.Builder consumer = RabbitInbox.builder(
                            RabbitConnection.url(context.getEnvironment(), context), inbox)
                    .exchange(rabbit.exchange())
                    .prefetch(rabbit.prefetch())
                    .workers(settings.workers())
                    .batchSize(settings.batchSize());
            if (rabbit.queue() != null) {
                consumer.queue(rabbit.queue());
            }
            if (!settings.topics().isEmpty()) {
                consumer.topics(settings.topics());
            }
            RabbitInbox started = consumer.build();
            started.start();
            return started;
        };
    }
}

package io.waybill.spring;

import static java.util.Objects.requireNonNull;

import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.spring.WaybillProperties.TransportKind;
import io.waybill.transport.Transport;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Kafka as the broker, when its address is known. */
@AutoConfiguration(
        after = WaybillAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
            "org.springframework.boot.autoconfigure.kafka.KafkaAutoConfiguration"
        })
@ConditionalOnClass(KafkaTransport.class)
@ConditionalOnBean(TransactionalOutbox.class)
@Conditional(KafkaAutoConfiguration.Chosen.class)
class KafkaAutoConfiguration {

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

    /** Named as the transport, or the only one that can be meant. */
    static final class Chosen extends SpringBootCondition implements ConfigurationCondition {
        /** Connection details are beans. */
        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            String kind = environment.getProperty("waybill.transport", "auto");
            boolean address = KafkaConnection.isKnown(environment, beans(context));
            boolean chosen = kind.equalsIgnoreCase(TransportKind.KAFKA.name())
                    || (kind.equalsIgnoreCase(TransportKind.AUTO.name()) && address);
            return new ConditionOutcome(
                    chosen,
                    ConditionMessage.forCondition("Waybill's transport")
                            .because("waybill.transport is " + kind + " and bootstrap servers are "
                                    + (address ? "known" : "not known")));
        }

        private static ListableBeanFactory beans(ConditionContext context) {
            return requireNonNull(context.getBeanFactory(), "bean factory");
        }
    }
}

package io.waybill.spring;

import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.spring.WaybillProperties.TransportKind;
import io.waybill.transport.Transport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Kafka as the broker, when its address is known. */
@AutoConfiguration(after = WaybillAutoConfiguration.class)
@ConditionalOnClass(KafkaTransport.class)
@ConditionalOnBean(TransactionalOutbox.class)
@Conditional(KafkaAutoConfiguration.Chosen.class)
class KafkaAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(Transport.class)
    KafkaTransport kafkaTransport(WaybillProperties properties, Environment environment) {
        WaybillProperties.Kafka kafka = properties.kafka();
        return KafkaTransport.builder(servers(environment))
                .sendTimeout(kafka.sendTimeout())
                .settings(kafka.properties())
                .settings(kafka.producer())
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    InboxFeed kafkaFeed(WaybillProperties properties, Environment environment) {
        return inbox -> {
            WaybillProperties.Inbox settings = properties.inbox();
            KafkaInbox.Builder consumer = KafkaInbox.builder(servers(environment), inbox)
                    .workers(settings.workers())
                    .batchSize(settings.batchSize());
            if (!settings.topics().isEmpty()) {
                consumer.topics(settings.topics());
            }
            if (!settings.checkRetention()) {
                consumer.withoutRetentionCheck();
            }
            properties.kafka().properties().forEach(consumer::setting);
            properties.kafka().consumer().forEach(consumer::setting);
            KafkaInbox started = consumer.build();
            started.start();
            return started;
        };
    }

    private static String servers(Environment environment) {
        String servers = known(environment);
        if (servers == null) {
            throw new StartFailure(
                    "waybill.transport is kafka, and no broker is named.",
                    "Set waybill.kafka.bootstrap-servers=host:port (or spring.kafka.bootstrap-servers). ./waybill up in a clone"
                            + " of Waybill runs a broker for trying things out.");
        }
        return servers;
    }

    private static @Nullable String known(Environment environment) {
        String ours = environment.getProperty("waybill.kafka.bootstrap-servers");
        return ours != null ? ours : environment.getProperty("spring.kafka.bootstrap-servers");
    }

    /** Named as the transport, or the only one that can be meant. */
    static final class Chosen extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            String kind = environment.getProperty("waybill.transport", "auto");
            boolean address = known(environment) != null;
            boolean chosen = kind.equalsIgnoreCase(TransportKind.KAFKA.name())
                    || (kind.equalsIgnoreCase(TransportKind.AUTO.name()) && address);
            return new ConditionOutcome(
                    chosen,
                    ConditionMessage.forCondition("Waybill's transport")
                            .because("waybill.transport is " + kind + " and bootstrap servers are "
                                    + (address ? "set" : "not set")));
        }
    }
}

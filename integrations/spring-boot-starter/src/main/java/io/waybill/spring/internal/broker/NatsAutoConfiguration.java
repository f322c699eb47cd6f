package io.waybill.spring.internal.broker;

import io.waybill.nats.NatsInbox;
import io.waybill.nats.NatsTransport;
import io.waybill.spring.InboxFeed;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.outbox.OutboxAutoConfiguration;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.transport.Transport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.util.StringUtils;

/** NATS as the broker, when its module is on the class path and its address is known. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, KafkaAutoConfiguration.class})
@ConditionalOnClass(NatsTransport.class)
@ConditionalOnBean(TransactionalOutbox.class)
@Conditional(OnTransport.Nats.class)
public class NatsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(Transport.class)
    NatsTransport waybillNatsTransport(WaybillProperties properties) {
        WaybillProperties.Nats nats = properties.nats();
        return NatsTransport.builder(url(nats)).stream(nats.stream())
                .replicas(nats.replicas())
                .sendTimeout(nats.sendTimeout())
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    InboxFeed waybillNatsFeed(WaybillProperties properties) {
        return inbox -> {
            WaybillProperties.Inbox settings = properties.inbox();
            WaybillProperties.Nats nats = properties.nats();
            NatsInbox.Builder consumer = NatsInbox.builder(url(nats), inbox).stream(nats.stream())
                    .inFlight(nats.inFlight())
                    .workers(settings.workers());
            if (!settings.topics().isEmpty()) {
                consumer.topics(settings.topics());
            }
            if (!settings.checkRetention()) {
                consumer.withoutRetentionCheck();
            }
            NatsInbox started = consumer.build();
            started.start();
            return started;
        };
    }

    private static String url(WaybillProperties.Nats nats) {
        String url = nats.url();
        if (!StringUtils.hasText(url)) {
            throw new StartFailure(
                    "waybill.transport is nats, and no server is named.",
                    "Set waybill.nats.url=nats://user:password@host:port.");
        }
        return url;
    }
}

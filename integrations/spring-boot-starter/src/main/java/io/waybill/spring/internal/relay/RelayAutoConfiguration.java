package io.waybill.spring.internal.relay;

import io.waybill.envelope.Envelope;
import io.waybill.internal.Listeners;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.relay.RelayListener;
import io.waybill.retry.RetryPolicy;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.broker.TransportChoice;
import io.waybill.spring.internal.inbox.InProcessDelivery;
import io.waybill.spring.internal.inbox.InboxAutoConfiguration;
import io.waybill.spring.internal.outbox.StoredOutbox;
import io.waybill.transport.Transport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** The relay, to a broker or to this application's own inbox. */
@AutoConfiguration(after = InboxAutoConfiguration.class)
@ConditionalOnBean({TransactionalOutbox.class, InboxConsumer.class})
public class RelayAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(Transport.class)
    InProcessDelivery waybillInProcessDelivery(
            InboxConsumer consumer, WaybillProperties properties, ApplicationContext context) {
        TransportChoice.of(context.getEnvironment(), context, context.getClassLoader())
                .check();
        return new InProcessDelivery(consumer, properties.inbox().onUnknownType() == null);
    }

    @Bean
    ApplicationRelay waybillRelayLifecycle(
            WaybillProperties properties,
            StoredOutbox outbox,
            Transport transport,
            Envelope envelope,
            ObjectProvider<RelayListener> listeners,
            InboxConsumer consumer) {
        Destination destination = new Destination(properties.transport(), transport, consumer);
        return new ApplicationRelay(
                properties.relay(),
                destination,
                consumer,
                () -> relay(
                        properties.relay(),
                        Relay.builder(outbox.store(), transport)
                                .envelope(envelope)
                                .listener(Listeners.all(
                                        RelayListener.class,
                                        listeners.orderedStream().toList()))));
    }

    private static Relay relay(WaybillProperties.Relay settings, RelayBuilder relay) {
        if (settings.name() != null) {
            relay.name(settings.name());
        }
        if (settings.claimBytes() != null) {
            relay.claimBytes(settings.claimBytes().toBytes());
        }
        return relay.batchSize(settings.batchSize())
                .workers(settings.workers())
                .pollEvery(settings.pollEvery())
                .idleLimit(settings.idleLimit())
                .lease(settings.lease())
                .retention(settings.retention())
                .stopLimit(settings.stopLimit())
                .onDeadLetter(settings.onDeadLetter())
                .retry(policy(settings.retry()))
                .build();
    }

    private static RetryPolicy policy(WaybillProperties.RelayRetry retry) {
        return new RetryPolicy(retry.maxAttempts(), retry.firstDelay(), retry.longestDelay());
    }
}

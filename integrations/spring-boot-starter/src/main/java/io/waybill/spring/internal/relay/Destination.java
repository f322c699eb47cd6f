package io.waybill.spring.internal.relay;

import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties.TransportKind;
import io.waybill.spring.internal.inbox.InProcessDelivery;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides whether the relay has a destination for its events. */
final class Destination {
    private static final Logger LOG = LoggerFactory.getLogger(RelayLifecycle.class);
    private static final String NOWHERE =
            "Events have no destination: no broker is configured, and this application has no"
                    + " enabled @InboxHandler.";
    private static final String REMEDY =
            "Configure a broker (waybill.kafka.bootstrap-servers, waybill.rabbitmq.url or waybill.nats.url), or add an @InboxHandler, or set"
                    + " waybill.relay.enabled=false if another relay publishes the events.";

    private final TransportKind kind;
    private final Transport transport;
    private final boolean inProcess;
    private final InboxConsumer consumer;

    Destination(TransportKind kind, Transport transport, InboxConsumer consumer) {
        this.kind = kind;
        this.transport = transport;
        this.inProcess = transport instanceof InProcessDelivery;
        this.consumer = consumer;
    }

    /**
     * Whether the relay has a destination; logs it. Without one the application starts nevertheless, because the events are safe in
     * the outbox.
     */
    boolean exists() {
        if (kind == TransportKind.NONE) {
            return false;
        }
        if (!inProcess || consumer.isEnabled()) {
            LOG.info("Events are published to {}.", transport);
            return true;
        }
        if (kind == TransportKind.IN_PROCESS) {
            throw new StartFailure("waybill.transport is in-process. " + NOWHERE, REMEDY);
        }
        LOG.warn("{} They stay in the outbox. {}", NOWHERE, REMEDY);
        return false;
    }

    boolean isInProcess() {
        return inProcess;
    }

    /** @throws StartFailure when there is no destination */
    void require() {
        if (kind == TransportKind.NONE || (inProcess && !consumer.hasHandlers())) {
            throw new StartFailure(NOWHERE, REMEDY);
        }
    }
}

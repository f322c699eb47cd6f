package io.waybill.examples.polyshop.service;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.waybill.Event;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts dead letters as {@code dead_letters_total}, and logs an alert for each message that cannot be read. */
public final class Alerts implements InboxListener {
    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);

    private final String service;
    private final Counter poison;
    private final Counter dead;

    public Alerts(String service, MeterRegistry metrics) {
        this.service = service;
        this.poison = counter(metrics, "poison");
        this.dead = counter(metrics, "failed");
    }

    private static Counter counter(MeterRegistry metrics, String kind) {
        return Counter.builder("dead.letters")
                .description("Events that became dead letters")
                .tag("kind", kind)
                .register(metrics);
    }

    @Override
    public void handled(Event event, InboxOutcome outcome, Duration took) {
        if (outcome == InboxOutcome.DEAD_LETTERED) {
            dead.increment();
            LOG.error("Event {} is a dead letter of {}; see topic {}.dlt", event, service, event.destination());
        }
    }

    @Override
    public void failed(Event event, FailureKind verdict, Throwable cause) {
        LOG.warn("Service {} cannot handle {} ({}): {}", service, event, verdict, cause.getMessage());
    }

    @Override
    public void poison(ReceivedMessage message, String reason) {
        poison.increment();
        LOG.error(
                "ALERT: service {} cannot read a message of topic {}, partition {}, offset {}: {} It is in topic {}.dlt",
                service,
                message.topic(),
                message.partition(),
                message.offset(),
                reason,
                message.topic());
    }
}

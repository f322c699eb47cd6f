package io.waybill.examples.quality.worker;

import io.waybill.examples.quality.QualityProperties;
import io.waybill.inbox.Inbox;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/** {@code quality.worker=once}: handles pending and due events, for a cron job; then the process ends. */
@Component
class OneShot implements ApplicationRunner {
    private static final Logger LOG = LoggerFactory.getLogger(OneShot.class);

    private final WorkerMode mode;
    private final RelayLifecycle publisher;
    private final InboxConsumer consumer;

    OneShot(QualityProperties properties, RelayLifecycle publisher, InboxConsumer consumer) {
        this.mode = properties.worker();
        this.publisher = publisher;
        this.consumer = consumer;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        if (mode == WorkerMode.ONCE) {
            long pending = publisher.runOnce();
            int due = consumer.inbox().map(Inbox::runDue).orElse(0);
            LOG.info("Took {} pending events, and {} that were due again.", pending, due);
        }
    }
}

package io.waybill.examples.logistics.outbox;

import io.waybill.examples.logistics.access.Tenants;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Transport;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Sends events after the commit, as services do that have no outbox. Used only while the service migrates. */
@Component
class DirectPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(DirectPublisher.class);
    private static final String MARK =
            "UPDATE outbox_events SET status = 'PUBLISHED', processed_at = now() WHERE id = ? AND status = 'PENDING'";

    private final ObjectProvider<Transport> transport;
    private final JdbcClient jdbc;
    private final JsonMapper json;
    private final Tenants tenants;
    private final TransactionTemplate transaction;

    DirectPublisher(
            ObjectProvider<Transport> transport,
            JdbcClient jdbc,
            JsonMapper json,
            Tenants tenants,
            PlatformTransactionManager transactions) {
        this.transport = transport;
        this.jdbc = jdbc;
        this.json = json;
        this.tenants = tenants;
        this.transaction = new TransactionTemplate(transactions);
        this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    void sendAfterCommit(OutgoingEvent event, Publishing publishing) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                try {
                    send(event);
                    if (publishing.writesRow()) {
                        mark(event);
                    }
                } catch (RuntimeException e) {
                    // The change is committed, so the request succeeds.
                    LOG.warn(
                            "Event {} {}: {}",
                            event.id(),
                            publishing.writesRow() ? "stays in the outbox until the relay runs" : "is lost",
                            e.getMessage());
                }
            }
        });
    }

    private void send(OutgoingEvent event) {
        CompletableFuture<Boolean> acknowledged = new CompletableFuture<>();
        transport.getObject().send(event.message(json), new Delivery() {
            @Override
            public void acknowledged() {
                acknowledged.complete(true);
            }

            @Override
            public void failed(Failure failure) {
                acknowledged.completeExceptionally(new IllegalStateException(failure.reason()));
            }
        });
        transport.getObject().flushSoon();
        acknowledged.join();
    }

    private void mark(OutgoingEvent event) {
        transaction.executeWithoutResult(status -> {
            tenants.enter(event.tenant());
            jdbc.sql(MARK).param(event.id()).update();
        });
    }
}

package io.waybill.spring.internal.outbox;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.store.OutboxStore;

/** The application's outbox in its database, for the relay and for operators. */
public interface StoredOutbox {
    OutboxStore store();

    OutboxView view();

    DeadLetters deadLetters();
}

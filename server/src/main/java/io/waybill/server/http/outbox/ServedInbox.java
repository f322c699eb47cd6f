package io.waybill.server.http.outbox;

import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxView;

/** The inbox in the database of an outbox. */
public record ServedInbox(InboxView view, InboxDeadLetters deadLetters) {}

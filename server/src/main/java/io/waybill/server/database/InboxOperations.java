package io.waybill.server.database;

import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxView;

/** What operators see of an inbox, and what they decide. */
public record InboxOperations(InboxView view, InboxDeadLetters deadLetters) {}

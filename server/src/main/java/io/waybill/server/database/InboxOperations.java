package io.waybill.server.database;

import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxView;

/** The view of an inbox, and the operator actions on its dead letters. */
public record InboxOperations(InboxView view, InboxDeadLetters deadLetters) {}

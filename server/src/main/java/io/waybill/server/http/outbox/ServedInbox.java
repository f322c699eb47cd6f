package io.waybill.server.http.outbox;

import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxHeld;
import io.waybill.inbox.InboxView;
import java.util.Optional;

/**
 * The inbox in the database of an outbox.
 *
 * @param held empty if this kind of database does not show held events
 */
public record ServedInbox(InboxView view, InboxDeadLetters deadLetters, Optional<InboxHeld> held) {}

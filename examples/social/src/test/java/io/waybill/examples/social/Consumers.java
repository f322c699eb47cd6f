package io.waybill.examples.social;

import com.mongodb.client.ClientSession;
import io.waybill.Event;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxView;
import io.waybill.envelope.Envelope;
import io.waybill.examples.social.projection.Projector;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Delivers the events of the outbox to the inboxes of all groups, without relay and broker, in the order that a test chooses. */
final class Consumers implements AutoCloseable {
    private static final Envelope ENVELOPE = Envelope.snakeCase(SocialCommerce.PRODUCER);

    private final SocialCommerce system;
    private final Map<Projector, Inbox<ClientSession>> inboxes = new LinkedHashMap<>();
    private int seen;

    Consumers(SocialCommerce system) {
        this.system = system;
        for (Projector projector : system.projectors()) {
            inboxes.put(projector, projector.inbox(Duration.ofMinutes(10)));
        }
    }

    /** Returns the events that were appended since the last call. */
    List<Event> appended() {
        List<EventRecord> all = system.outbox().events(EventFilter.ALL, OutboxView.LARGEST_PAGE);
        List<Event> fresh =
                all.subList(seen, all.size()).stream().map(EventRecord::event).toList();
        seen = all.size();
        return fresh;
    }

    /** Delivers an event to each group that reads its topic. */
    List<InboxOutcome> deliver(Event event) {
        ReceivedMessage message = ReceivedMessage.of(ENVELOPE.seal(event));
        List<InboxOutcome> outcomes = new ArrayList<>();
        inboxes.forEach((projector, inbox) -> {
            if (projector.topics().contains(message.topic())) {
                outcomes.add(inbox.handle(message));
            }
        });
        return outcomes;
    }

    /** Applies the events that waited for an earlier version. */
    void applyWaiting() {
        inboxes.values().forEach(inbox -> {
            while (inbox.runDue() > 0) {
                // an applied event may be the one that the next event waits for
            }
        });
    }

    @Override
    public void close() {
        inboxes.values().forEach(Inbox::close);
    }
}

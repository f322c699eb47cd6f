package io.waybill.examples.social.projection;

import com.mongodb.client.ClientSession;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import io.waybill.mongodb.MongoOutbox;
import java.util.Collection;
import java.util.Map;

/**
 * Sends dead letters to the topic that the design names, {@code sc.dlq.…}, in the envelope of all other events. The key is the id of the
 * event that failed. Waybill's default is the topic {@code {topic}.dlt} without an envelope.
 */
record DeadLetterTopic(MongoOutbox outbox, String topic) implements Outbox<ClientSession> {
    static final String EVENT_TYPE = "deadletter.recorded";

    @Override
    public void append(ClientSession transaction, Collection<Event> letters) {
        outbox.append(transaction, letters.stream().map(this::domainEvent).toList());
    }

    private Event domainEvent(Event letter) {
        String failed = letter.headers().getOrDefault(Headers.CAUSATION_ID, letter.key());
        Event.Builder event =
                Event.builder(EVENT_TYPE, "deadletter", failed).topic(topic).payload(letter.payload());
        for (Map.Entry<String, String> header : letter.headers().entrySet()) {
            if (!header.getKey().equals(Headers.ENVELOPE)) {
                event.header(header.getKey(), header.getValue());
            }
        }
        return event.build();
    }
}

package io.waybill.mongodb.inbox;

import io.waybill.inbox.ReceivedMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.bson.types.Binary;

/** Messages as received, as fields of a document. */
final class MessageDocuments {
    private static final String HEADERS = "headers";
    private static final String VALUE = "value";

    private MessageDocuments() {}

    /** Returns the fields of the message. Headers are pairs, because their names may contain any character. */
    static Document fields(ReceivedMessage message) {
        List<Document> headers = new ArrayList<>();
        message.headers().forEach((name, value) -> headers.add(new Document("name", name).append(VALUE, value)));
        return new Document(InboxFields.TOPIC, message.topic())
                .append(InboxFields.PARTITION, message.partition())
                .append(InboxFields.OFFSET, message.offset())
                .append(InboxFields.MESSAGE_KEY, message.key())
                .append(HEADERS, headers)
                .append(VALUE, new Binary(message.value()));
    }

    static ReceivedMessage message(Document document) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (Document pair : document.getList(HEADERS, Document.class)) {
            headers.put(pair.getString("name"), pair.getString(VALUE));
        }
        return new ReceivedMessage(
                document.getString(InboxFields.TOPIC),
                document.getInteger(InboxFields.PARTITION),
                document.getLong(InboxFields.OFFSET),
                document.getString(InboxFields.MESSAGE_KEY),
                document.get(VALUE, Binary.class).getData(),
                headers);
    }
}

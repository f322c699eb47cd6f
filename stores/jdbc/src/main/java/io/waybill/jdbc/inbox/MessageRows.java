package io.waybill.jdbc.inbox;

import io.waybill.envelope.JsonText;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.internal.event.HeaderJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Messages as rows. */
public final class MessageRows {
    /** The columns that {@link #message} reads, in its order. */
    static final String MESSAGE = "topic, topic_partition, topic_offset, message_key, headers, value";

    /** {@link #MESSAGE} of the table alias {@code h}. */
    static final String MESSAGE_OF_H =
            "h.topic, h.topic_partition, h.topic_offset, h.message_key, CAST(h.headers AS text), h.value";

    private MessageRows() {}

    /** @param first index of the first of the six columns */
    static ReceivedMessage message(ResultSet row, int first) throws SQLException {
        return new ReceivedMessage(
                row.getString(first),
                row.getInt(first + 1),
                row.getLong(first + 2),
                row.getString(first + 3),
                row.getBytes(first + 5),
                HeaderJson.parse(row.getString(first + 4)));
    }

    /** Parameters for {@link #MESSAGE}, after those given. */
    static @Nullable Object[] with(ReceivedMessage message, @Nullable Object... before) {
        @Nullable Object[] all = new @Nullable Object[before.length + 6];
        System.arraycopy(before, 0, all, 0, before.length);
        String key = message.key();
        all[before.length] = message.topic();
        all[before.length + 1] = message.partition();
        all[before.length + 2] = message.offset();
        all[before.length + 3] = key == null ? null : key.replace('\0', '?');
        all[before.length + 4] = message.headers();
        all[before.length + 5] = message.value();
        return all;
    }

    public static String json(Map<?, ?> headers) {
        Map<String, String> text = new LinkedHashMap<>();
        headers.forEach((name, value) -> text.put((String) name, (String) value));
        return JsonText.object(text);
    }
}

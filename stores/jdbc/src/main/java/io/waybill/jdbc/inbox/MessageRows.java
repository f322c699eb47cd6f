package io.waybill.jdbc.inbox;

import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.internal.event.HeaderJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads and binds the six columns of a message. */
final class MessageRows {
    private MessageRows() {}

    /** @param first the index of the first column */
    static ReceivedMessage message(ResultSet row, int first) throws SQLException {
        return new ReceivedMessage(
                row.getString(first),
                row.getInt(first + 1),
                row.getLong(first + 2),
                row.getString(first + 3),
                row.getBytes(first + 5),
                HeaderJson.parse(row.getString(first + 4)));
    }

    /** Returns the given parameters, followed by those of the message. */
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
}

package io.waybill.server.cli.inbox;

import io.waybill.inbox.DeadLetter;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.http.json.InboxJson;
import java.util.List;

/** Prints dead letters of consumer groups as a table, or as JSON lines. */
final class InboxDeadLetterList {
    private InboxDeadLetterList() {}

    /** @param width the width of the terminal; the last column is shortened to fit */
    static void print(List<DeadLetter> letters, boolean json, Output output, int width) {
        if (json) {
            letters.forEach(letter -> output.json(InboxJson.letter(letter)));
            return;
        }
        Table table = new Table("ID", "GROUP", "TYPE", "KEY", "AGE", "ATTEMPTS", "ERROR");
        for (DeadLetter letter : letters) {
            table.row(
                    letter.eventId().toString(),
                    TerminalText.cut(letter.group(), 30),
                    TerminalText.cut(letter.eventType(), 40),
                    TerminalText.cut(String.valueOf(letter.message().key()), 40),
                    Format.ageSince(letter.failedAt()),
                    Integer.toString(letter.attempts()),
                    letter.error());
        }
        output.table(table.cutTo(width));
    }
}

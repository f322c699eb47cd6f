package io.waybill.server.cli.outbox;

import io.waybill.admin.FailureGroups;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.problem.Exit;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "failures",
        description = "Group the events that failed by type, topic and error, the largest group first.")
public final class FailuresCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    @Override
    protected Exit run() {
        FailureGroups failures = tables().requireValid().outbox().search().failureGroups();
        if (json.wanted()) {
            failures.groups().forEach(this::printJson);
            return Exit.OK;
        }
        if (failures.groups().isEmpty()) {
            output().note("No event has failed.");
            return Exit.OK;
        }
        Table table = new Table("RETRYING", "DEAD", "TYPE", "TOPIC", "NEWEST", "EXAMPLE", "ERROR");
        for (FailureGroups.Group group : failures.groups()) {
            table.row(
                    Integer.toString(group.retrying()),
                    Integer.toString(group.deadLetters()),
                    TerminalText.cut(group.type(), 40),
                    TerminalText.cut(group.topic(), 40),
                    Format.ageSince(group.last()),
                    group.sample().toString(),
                    group.error());
        }
        output().table(table.cutTo(width()));
        if (!failures.complete()) {
            output().note("The groups contain the newest " + failures.examined() + " failed events. There are more.");
        }
        return Exit.OK;
    }

    private void printJson(FailureGroups.Group group) {
        output().json(Json.object()
                .put("fingerprint", group.fingerprint())
                .put("error", group.error())
                .put("sampleError", group.sampleError())
                .put("type", group.type())
                .put("topic", group.topic())
                .put("retrying", group.retrying())
                .put("deadLetters", group.deadLetters())
                .put("first", group.first().toString())
                .put("last", group.last().toString())
                .put("sample", group.sample().toString()));
    }
}

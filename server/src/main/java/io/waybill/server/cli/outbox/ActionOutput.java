package io.waybill.server.cli.outbox;

import io.waybill.admin.Action;
import io.waybill.admin.ActionResult;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.Output;
import tools.jackson.databind.node.ObjectNode;

/** Prints what an action has changed, and turns the options of a command into an action. */
final class ActionOutput {
    private ActionOutput() {}

    static Action action(Decision decision) {
        return new Action(decision.actor(), decision.reason(), null, "command line");
    }

    /** @param sentence what happened, for people */
    static void print(String name, ActionResult result, String sentence, boolean json, Output output) {
        if (!json) {
            output.line(sentence);
            return;
        }
        ObjectNode printed = Json.object().put("action", name);
        var changed = printed.putArray("changed");
        result.events().forEach(id -> changed.add(id.toString()));
        output.json(printed);
    }
}

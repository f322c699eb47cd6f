package io.waybill.server.cli.outbox;

import io.waybill.server.cli.command.DeadLetterDecision;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.cli.outbox.ReplayOutcome.Kind;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** What happened to the replayed events, for people and for scripts. */
record ReplayOutcomes(List<ReplayOutcome> outcomes) implements DeadLetterDecision.Outcomes {
    private static final int SHOWN = 20;

    @Override
    public boolean failed() {
        return count(Kind.FAILED) > 0;
    }

    @Override
    public void addTo(ObjectNode json) {
        var array = json.putArray("outcomes");
        for (ReplayOutcome one : outcomes) {
            array.addObject()
                    .put("id", one.id().toString())
                    .put("outcome", one.kind().name().toLowerCase(Locale.ROOT))
                    .put("detail", one.detail());
        }
    }

    @Override
    public void print(Output output) {
        long published = count(Kind.PUBLISHED);
        if (published > 0) {
            output.line(published + " published.");
        }
        long failed = count(Kind.FAILED);
        outcomes.stream()
                .filter(one -> one.kind() == Kind.FAILED)
                .limit(SHOWN)
                .forEach(one ->
                        output.line(one.id() + " failed again. " + TerminalText.escape(String.valueOf(one.detail()))));
        if (failed > SHOWN) {
            output.line((failed - SHOWN) + " more failed again. See `waybill dead-letters list`.");
        }
        long pending = count(Kind.PENDING);
        if (pending > 0) {
            String why = outcomes.stream()
                    .filter(one -> one.kind() == Kind.PENDING)
                    .map(one -> String.valueOf(one.detail()))
                    .findFirst()
                    .orElse("");
            output.line(pending + " still pending. " + why);
        }
    }

    private long count(Kind kind) {
        return outcomes.stream().filter(one -> one.kind() == kind).count();
    }
}

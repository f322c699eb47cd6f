package io.waybill.server.cli.outbox;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@CommandLine.Command(name = "show", description = "Show one event with payload, headers, attempts and history.")
class EventShow extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Parameters(paramLabel = "ID", description = "Event id.")
    @SuppressWarnings("NullAway.Init")
    private UUID id;

    @Override
    protected final Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    @Override
    protected final Exit run() {
        OutboxView view = tables().requireValid().outbox().view();
        EventRecord entry =
                view.event(id).filter(this::shows).orElseThrow(() -> new Problem(Exit.NOT_FOUND, missing(id)));
        EventDetails.print(entry, view.history(id), json.wanted(), output());
        return Exit.OK;
    }

    boolean shows(EventRecord event) {
        return true;
    }

    String missing(UUID id) {
        return "There is no event " + id + ". It may have been removed after its retention time.";
    }

    @CommandLine.Command(name = "show", description = "Show one dead letter with payload, headers and history.")
    static final class OfDeadLetter extends EventShow {
        @Override
        boolean shows(EventRecord event) {
            return event.state() == EventState.DEAD_LETTER;
        }

        @Override
        String missing(UUID id) {
            return "There is no dead letter " + id + ". See `waybill dead-letters list`, or `waybill events show`.";
        }
    }
}

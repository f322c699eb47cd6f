package io.waybill.server.cli.command;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.server.problem.Problem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --reason} and {@code --actor}, for commands that write an audit row. */
public final class DecisionOptions {
    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Reason for the decision, recorded in the audit table. Required.")
    private @Nullable String reason;

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            description = "Who decides, recorded in the audit table (default: the operating system's user).")
    private @Nullable String actor;

    /** @throws Problem if there is no reason */
    public Decision decision() {
        requireReason("");
        return new Decision(
                actor == null || actor.isBlank() ? System.getProperty("user.name", "unknown") : actor,
                String.valueOf(reason));
    }

    /** @param exception says which option makes the reason unnecessary; or empty */
    public void requireReason(String exception) {
        if (reason == null || reason.isBlank()) {
            throw Problem.usage("--reason is missing. It is recorded in the audit table." + exception);
        }
    }
}

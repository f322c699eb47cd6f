package io.waybill.server.problem;

import io.waybill.WaybillException;
import org.jspecify.annotations.Nullable;

/** Ends a command with a message for the user and an exit code for scripts. */
public final class Problem extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final Exit exit;

    public Problem(Exit exit, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exit = exit;
    }

    public Problem(Exit exit, String message) {
        this(exit, message, null);
    }

    public static Problem usage(String message) {
        return new Problem(Exit.USAGE, message);
    }

    public Exit exit() {
        return exit;
    }
}

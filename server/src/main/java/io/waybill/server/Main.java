package io.waybill.server;

import io.waybill.server.cli.Program;
import io.waybill.server.cli.command.CliContext;

/** The {@code waybill} program. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Program(CliContext.ofThisProcess()).run(args));
    }
}

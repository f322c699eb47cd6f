package io.waybill.server;

import io.waybill.server.cli.Program;
import io.waybill.server.cli.Surroundings;

/** The {@code waybill} program. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Program(Surroundings.ofThisProcess()).run(args));
    }
}

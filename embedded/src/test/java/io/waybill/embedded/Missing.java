package io.waybill.embedded;

import org.junit.jupiter.api.Assumptions;

/** Servers that this machine does not have. */
final class Missing {

    private Missing() {}

    /** Aborts the running test, or all tests of the class that is being prepared, and prints the reason if there is one. */
    static void abortWithout(DebianServer server) {
        server.obstacle().ifPresent(reason -> {
            System.err.println("NOT RUN: 1 test or test class: " + reason);
            Assumptions.abort(reason);
        });
    }
}

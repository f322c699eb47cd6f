package io.waybill.embedded;

import org.junit.jupiter.api.Assumptions;

/** Servers that this machine does not have. */
final class Missing {

    private Missing() {}

    /** Aborts all tests of the class that is being prepared, and prints the reason. */
    static void abort(String reason) {
        System.err.println("NOT RUN: 1 test class: " + reason);
        Assumptions.abort(reason);
    }
}

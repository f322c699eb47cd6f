package io.waybill.bench.report;

/** Shows progress on standard error: a single updated line on a terminal, otherwise a line for each step. */
public final class Progress {
    private final boolean terminal = Boolean.getBoolean("waybill.terminal");

    /** Shows the current step. */
    public void doing(String what) {
        if (terminal) {
            System.err.print("\r\u001b[K" + what + " …");
            System.err.flush();
        }
    }

    /** Prints a permanent line. */
    public void done(String what) {
        System.err.println((terminal ? "\r\u001b[K" : "") + what);
    }

    public void clear() {
        if (terminal) {
            System.err.print("\r\u001b[K");
            System.err.flush();
        }
    }
}

package io.waybill.bench.report;

/** Says on standard error what is going on: one line that changes on a terminal, a line for each step elsewhere. */
public final class Progress {
    private final boolean terminal = Boolean.getBoolean("waybill.terminal");

    /** What is being done now. */
    public void doing(String what) {
        if (terminal) {
            System.err.print("\r\u001b[K" + what + " …");
            System.err.flush();
        }
    }

    /** What is to stay on the screen. */
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

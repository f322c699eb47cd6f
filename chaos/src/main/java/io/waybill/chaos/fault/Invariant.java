package io.waybill.chaos.fault;

/** What must hold at the end of every run. */
public enum Invariant {
    I1("no loss: every committed event is delivered, or shown as a dead letter"),
    I2("no ghost: nothing is delivered that was not committed"),
    I3("intact: key, headers and payload arrive as written"),
    I4("order: first deliveries of a key come in its order"),
    I5("effects: one for each event and group, in order"),
    I6("duplicates: at most what was in flight, for each crash"),
    I7("after healing the backlog drains"),
    I8("sagas end in one state"),
    I9("metrics and commands say what SQL and the broker say"),
    I10("no leak: connections, threads, files, claims return to where they were");

    private final String title;

    Invariant(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}

package io.waybill.chaos.fault;

/** A property that must hold at the end of every run. */
public enum Invariant {
    I1("no loss: every committed event is delivered or is a dead letter"),
    I2("no ghosts: every delivered event was committed"),
    I3("no corruption: key, headers and payload arrive as written"),
    I4("order: the first deliveries of a key are in order"),
    I5("effects: each event is applied once in each group, in order"),
    I6("duplicates: at most the events in flight at each crash"),
    I7("recovery: the backlog drains after the last fault"),
    I8("sagas: each has one end, and all of its effects or none"),
    I9("consistency: metrics and commands agree with SQL and the broker"),
    I10("no leaks: connections, threads, files and lanes are released");

    private final String title;

    Invariant(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** The topic of the invariant and its code, for example {@code no loss (I1)}. */
    @Override
    public String toString() {
        return title.substring(0, title.indexOf(':')) + " (" + name() + ")";
    }
}

package io.waybill.saga;

import java.util.ArrayList;
import java.util.List;

/** Data and steps of small definitions. */
record Steps(List<String> done) {
    static final Steps NONE = new Steps(List.of());

    Steps with(String what) {
        List<String> more = new ArrayList<>(done);
        more.add(what);
        return new Steps(more);
    }

    static Command command(String type) {
        return Command.to(type, "key-1", "{}");
    }

    /** A compensatable step {@code name} that sends {@code name.do} and is undone by {@code name.undo}. */
    static StepBuilder<Steps> undoable(StepStart<Steps> start, String name) {
        return start.command(steps -> command(name + ".do"))
                .onReply(name + ".done", (steps, reply) -> steps.with(name))
                .onRefusal(name + ".refused")
                .timeout(java.time.Duration.ofSeconds(3))
                .compensation(steps -> command(name + ".undo"))
                .onCompensated(name + ".undone", (steps, reply) -> steps.with("-" + name));
    }
}

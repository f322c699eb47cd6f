package io.waybill.server.cli.command;

import io.waybill.admin.EventFilter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select events. */
public final class FilterOptions {
    @Option(names = "--key", paramLabel = "KEY", description = "Only events of this key (aggregate id).")
    private @Nullable String key;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type.")
    private @Nullable String type;

    @Option(names = "--older-than", paramLabel = "DURATION", description = "Only events older than this, such as 1h.")
    private @Nullable String olderThan;

    @Option(names = "--younger-than", paramLabel = "DURATION", description = "Only events younger than this.")
    private @Nullable String youngerThan;

    public EventFilter filter() {
        return EventFilter.ALL
                .key(key)
                .type(type)
                .olderThan(Arguments.optionalDuration("--older-than", olderThan))
                .youngerThan(Arguments.optionalDuration("--younger-than", youngerThan));
    }

    public boolean given() {
        return key != null || type != null || olderThan != null || youngerThan != null;
    }
}

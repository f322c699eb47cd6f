package io.waybill.server.cli.saga;

import io.waybill.saga.admin.SagaFilter;
import io.waybill.server.cli.command.Arguments;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select sagas. */
final class SagaFilterOptions {
    @Option(names = "--saga", paramLabel = "NAME", description = "Only sagas of this definition.")
    private @Nullable String saga;

    @Option(
            names = "--key",
            paramLabel = "PREFIX",
            description = "Only sagas whose business key begins with this text.")
    private @Nullable String key;

    @Option(
            names = "--older-than",
            paramLabel = "DURATION",
            description = "Only sagas that started longer ago than this, such as 1h.")
    private @Nullable String olderThan;

    @Option(names = "--step", paramLabel = "STEP", description = "Only sagas in which this step waits for a person.")
    private @Nullable String step;

    SagaFilter filter(int limit) {
        return SagaFilter.all(limit)
                .name(saga)
                .keyPrefix(key)
                .olderThan(Arguments.optionalDuration("--older-than", olderThan))
                .stuckStep(step);
    }

    @Nullable
    String step() {
        return step;
    }

    /** Whether an option was given that does not apply to a single saga. */
    boolean givenBesidesStep() {
        return saga != null || key != null || olderThan != null;
    }
}

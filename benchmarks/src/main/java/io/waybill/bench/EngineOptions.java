package io.waybill.bench;

import io.waybill.bench.load.KeyDistribution;
import io.waybill.bench.load.Load;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select the contestants and the events. */
final class EngineOptions {
    @Option(
            names = "--engines",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Contestants: journal, queue (Waybill); journal-hinted, queue-hinted (writers wake the relay); journal-raw"
                            + " (no envelope); update, delete, cursor, cursor-enveloped (bare loops)")
    private @Nullable List<String> engines;

    @Option(names = "--batch", defaultValue = "2000", description = "Batch size (default ${DEFAULT-VALUE})")
    private int batch;

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "Number of measured rounds (default ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--keys", defaultValue = "10000", description = "Number of keys (default ${DEFAULT-VALUE})")
    private int keys;

    @Option(names = "--payload", defaultValue = "256", description = "Payload size in bytes (default ${DEFAULT-VALUE})")
    private int payload;

    List<String> engines(String... standard) {
        return engines == null ? List.of(standard) : engines;
    }

    int batch() {
        return batch;
    }

    int rounds() {
        return rounds;
    }

    int keys() {
        return keys;
    }

    int payload() {
        return payload;
    }

    Load load() {
        return new Load(KeyDistribution.EVEN, keys, payload);
    }
}

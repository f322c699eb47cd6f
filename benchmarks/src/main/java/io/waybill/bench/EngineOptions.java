package io.waybill.bench;

import io.waybill.bench.load.Load;
import io.waybill.bench.load.Spread;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who takes part, and with which events. */
final class EngineOptions {
    @Option(
            names = "--engines",
            split = ",",
            paramLabel = "NAME",
            description =
                    "journal, queue (Waybill); journal-hinted, queue-hinted (writers wake the relay); journal-raw (the payload alone);"
                            + " update, delete, cursor, cursor-enveloped (bare loops)")
    private @Nullable List<String> engines;

    @Option(names = "--batch", defaultValue = "2000", description = "events in a batch (${DEFAULT-VALUE})")
    private int batch;

    @Option(names = "--rounds", defaultValue = "3", description = "rounds that count (${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--keys", defaultValue = "10000", description = "different keys (${DEFAULT-VALUE})")
    private int keys;

    @Option(names = "--payload", defaultValue = "256", description = "bytes of a payload (${DEFAULT-VALUE})")
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
        return new Load(Spread.EVEN, keys, payload);
    }
}

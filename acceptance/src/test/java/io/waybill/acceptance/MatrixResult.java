package io.waybill.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What was counted in the run of one pair; a small file each, from which {@link MatrixPage} is written. */
record MatrixResult(MatrixStore store, MatrixTransport transport, Map<Count, Long> counts) {
    /** Below the module's own. */
    static final Path FOLDER = Path.of("target", "matrix");

    /** What is counted, in the order in which it stands in the file. */
    enum Count {
        /** Events that a killed relay had at the broker and not settled. */
        KILL,
        /** Events that waited when the restarted broker came back. */
        RESTART,
        /** Writes of the zombie that were refused. */
        ZOMBIE,
        /** Dead letters. */
        POISON,
        /** Events that waited when the broker was in reach again. */
        OUTAGE,
        EVENTS,
        FAULTS,
        DUPLICATES
    }

    MatrixResult {
        counts = Map.copyOf(counts);
    }

    long count(Count count) {
        return Optional.ofNullable(counts.get(count)).orElseThrow();
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<String> lines = Arrays.stream(Count.values())
                .map(count -> count + "=" + count(count))
                .toList();
        Files.write(file(folder, store, transport), lines);
    }

    /** Before a run, so that one that fails leaves nothing to be published. */
    static void remove(Path folder, MatrixStore store, MatrixTransport transport) throws IOException {
        Files.deleteIfExists(file(folder, store, transport));
    }

    /** Empty when the pair was not run. */
    static Optional<MatrixResult> read(Path folder, MatrixStore store, MatrixTransport transport) throws IOException {
        Path file = file(folder, store, transport);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Map<Count, Long> counts = Files.readAllLines(file).stream()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(
                        part -> Count.valueOf(part[0]),
                        part -> Long.valueOf(part[1]),
                        (first, second) -> second,
                        () -> new EnumMap<>(Count.class)));
        return Optional.of(new MatrixResult(store, transport, counts));
    }

    private static Path file(Path folder, MatrixStore store, MatrixTransport transport) {
        return folder.resolve(store + "-" + transport + ".txt");
    }
}

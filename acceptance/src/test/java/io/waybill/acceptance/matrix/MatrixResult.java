package io.waybill.acceptance.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The counts of one pair of store and transport, in a small file that {@link MatrixPage} reads. */
record MatrixResult(MatrixStore store, MatrixTransport transport, Map<Count, Long> counts) {
    /** The folder of the files, below the module. */
    static final Path FOLDER = Path.of("target", "matrix");

    /** The counts, in the order of the file. */
    enum Count {
        /** Events that a killed relay had sent but not settled. */
        KILL,
        /** The backlog when the restarted broker was available again. */
        RESTART,
        /** Rejected writes of the frozen relay. */
        ZOMBIE,
        /** Dead letters. */
        POISON,
        /** The backlog when the broker was reachable again. */
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

    /** Deletes the file before a run, so that a failed run leaves no old result. */
    static void remove(Path folder, MatrixStore store, MatrixTransport transport) throws IOException {
        Files.deleteIfExists(file(folder, store, transport));
    }

    /** Returns the counts, or nothing if the pair was not run. */
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

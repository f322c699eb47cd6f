package io.waybill.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files that are deleted after a run without violations: the data of the servers and the histories. */
final class Leftovers {
    private Leftovers() {}

    static void remove(Path place) throws IOException {
        for (String name : List.of("postgres", "kafka", "histories")) {
            Path folder = place.resolve(name);
            if (Files.exists(folder)) {
                try (Stream<Path> paths = Files.walk(folder)) {
                    for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(path);
                    }
                }
            }
        }
    }
}

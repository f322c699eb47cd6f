package io.waybill.faults.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.testkit.servers.NotRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallDiskTest {
    @TempDir
    private Path folder;

    @Test
    void aFullDiskRejectsWritesUntilItIsFreed() throws IOException {
        Optional<SmallDisk> mounted = SmallDisk.mount(folder.resolve("disk"), 1);
        if (mounted.isEmpty()) {
            throw NotRun.because("a full disk needs a file system of its own, and this process may not mount one."
                    + " Run the tests as root.");
        }
        try (SmallDisk disk = mounted.orElseThrow()) {
            Path file = disk.folder().resolve("file");
            disk.fill();
            assertThatThrownBy(() -> Files.write(file, new byte[1])).isInstanceOf(IOException.class);
            disk.free();
            Files.write(file, new byte[500_000]);
            assertThat(file).hasSize(500_000);
        }
    }
}

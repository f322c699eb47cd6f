package io.waybill.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
    void aFullDiskTakesNothingUntilItIsFreed() throws IOException {
        Optional<SmallDisk> mounted = SmallDisk.mount(folder.resolve("disk"), 1);
        assumeTrue(mounted.isPresent(), "this process may not mount");
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

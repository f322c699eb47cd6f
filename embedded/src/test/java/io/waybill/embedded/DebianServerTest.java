package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
final class DebianServerTest {

    @Test
    void withoutAptTheReasonIsGivenAndNoHalfFolderStays(@TempDir Path folder) throws Exception {
        Path programs = Files.createDirectory(folder.resolve("bin"));
        Files.createSymbolicLink(programs.resolve("sh"), Path.of("/bin/sh"));
        Path cache = folder.resolve("cache");

        Process owner = OwnerProgram.run(
                Map.of("PATH", programs.toString(), "XDG_CACHE_HOME", cache.toString()),
                "mysql",
                folder.resolve("server").toString(),
                "close");
        String output = new String(owner.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(owner.waitFor()).isNotZero();
        assertThat(output).contains("mysql-server-core of Debian sid", "apt-get");
        try (var cached = Files.list(cache.resolve("waybill"))) {
            assertThat(cached.filter(Files::isDirectory)).isEmpty();
        }
    }
}

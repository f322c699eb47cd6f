package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The secret that signs tokens: configured and long enough, or generated once and kept. */
class JwtSecretTest {
    @Test
    void aShortSecretIsRefused() {
        assertThatThrownBy(() -> Service.start(SharedServers.freshDatabase(), "--quality.jwt-secret=short"))
                .rootCause()
                .hasMessageContaining("quality.jwt-secret has 5 bytes; HS256 needs 32 or more");
    }

    @Test
    void withoutASecretOneIsGeneratedAndReadableByItsOwnerOnly(@TempDir Path folder) throws Exception {
        String database = SharedServers.freshDatabase();
        String[] settings = {"--quality.jwt-secret=", "--quality.data=" + folder, "--quality.worker=off"};
        String token;
        try (Service first = Service.start(database, settings)) {
            token = first.api().token("auditor");
        }
        Path file = folder.resolve("jwt-secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(folder.toFile().list()).containsExactly("jwt-secret");
        try (Service second = Service.start(database, settings)) {
            assertThat(second.api()
                            .send(second.api().request("GET", "/kpi", token, null))
                            .status())
                    .as("a token outlives a restart")
                    .isEqualTo(200);
        }
    }
}

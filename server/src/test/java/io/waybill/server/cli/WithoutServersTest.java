package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Commands that succeed or fail without connecting to a server. */
class WithoutServersTest {
    @TempDir
    private Path folder;

    private Waybill waybill;

    @BeforeEach
    void inItsFolder() {
        waybill = new Waybill(folder);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "up",
                "relay",
                "append",
                "tail",
                "status",
                "events",
                "events show",
                "dead-letters",
                "dead-letters list",
                "dead-letters show",
                "dead-letters replay",
                "dead-letters discard",
                "schema",
                "schema print",
                "schema apply",
                "schema check",
                "doctor",
                "config",
                "completion",
                "version"
            })
    void everyCommandHasHelp(String command) {
        String[] args = (command + " --help").strip().split(" ");
        Result help = waybill.run(args);
        assertThat(help.exit()).isZero();
        assertThat(help.out()).contains("Usage: waybill", "--help");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--database jdbc:oracle:thin:@db/shop",
                "--database postgres//db",
                "--broker pigeons://coop",
                "--layout no-such",
                "--layout claimed-status --engine journal",
                "--layout claimed-status --database jdbc:h2:./shop --apply-schema",
                "--engine journal --database jdbc:h2:./shop --apply-schema",
                "--engine journal --database jdbc:mariadb://127.0.0.1:1/shop"
            })
    void upRejectsBadInputBeforeServersStart(String flags) {
        Result refused = waybill.run(("up " + flags).split(" "));
        assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
        assertThat(refused.out()).isEmpty();
        assertThat(folder).isEmptyDirectory();
        assertThat(Path.of("shop.mv.db")).doesNotExist();
    }

    @Test
    void completionAndVersionNeedNoServer() {
        assertThat(waybill.run("completion").out()).contains("complete", "dead-letters");
        assertThat(waybill.run("version").out()).startsWith("waybill ");
        assertThat(json(waybill.run("version", "--json").out())
                        .get("schemaVersion")
                        .asInt())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "192.168.0.1", "::", "example.org", "127.0.0.1.evil.example"})
    void listeningBeyondLoopbackIsRejected(String host) {
        for (String command : new String[] {"up", "relay"}) {
            Result refused = waybill.run(
                    command,
                    "--database",
                    "jdbc:postgresql://127.0.0.1:1/x",
                    "--broker",
                    "127.0.0.1:1",
                    "--http-host",
                    host);
            assertThat(refused.err()).contains("needs authentication: set http.sign-in", "encryption: set http.tls-");
            assertThat(refused.exit()).isEqualTo(2);
        }
    }

    @Test
    void unknownCommandsAreNamed() {
        Result unknown = waybill.run("evnts");
        assertThat(unknown.err()).contains("There is no command 'evnts'. Did you mean 'events'?");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(waybill.run("pasue").err()).contains("There is no command 'pasue'. Did you mean 'pause'?");
        assertThat(waybill.run("status", "--chek").err()).contains("--chek", "Did you mean '--check'?");
    }

    private static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }
}

package io.waybill.dist;

import static io.waybill.dist.Commands.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package, unpacked instead of installed: a test must not change the machine. */
class DebianPackageTest {
    private static final String VERSION = System.getProperty("waybill.version", "");

    @TempDir
    private static Path folder = Path.of(".");

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/dpkg-deb")),
                "dpkg-deb is missing. Run the tests on Debian or Ubuntu.");
        String archive = System.getProperty("waybill.archive", "");
        run(folder, "bash", Path.of("src/deb/build").toAbsolutePath().toString(), archive, VERSION, folder.toString());
        run(folder, "dpkg-deb", "-x", deb(), unpacked().toString());
    }

    private static String deb() {
        return folder.resolve("waybill_" + VERSION + "_all.deb").toString();
    }

    private static Path unpacked() {
        return folder.resolve("unpacked");
    }

    @Test
    void thePackageNeedsJava() throws IOException, InterruptedException {
        assertThat(run(folder, "dpkg-deb", "--field", deb(), "Version", "Depends"))
                .contains("Version: " + VERSION, "openjdk-17-jre-headless");
    }

    @Test
    void theInstalledProgramPrintsItsVersion() throws IOException, InterruptedException {
        assertThat(run(folder, unpacked().resolve("usr/bin/waybill").toString(), "--version"))
                .startsWith("waybill " + VERSION + " (");
    }

    @Test
    void theServiceStartsTheInstalledProgramWithTheInstalledSettings() throws IOException {
        assertThat(unpacked().resolve("lib/systemd/system/waybill.service"))
                .content()
                .contains("ExecStart=/usr/bin/waybill relay", "WAYBILL_CONFIG=/etc/waybill/waybill.yaml");
        assertThat(unpacked().resolve("etc/waybill/waybill.yaml")).exists();
    }

    @Test
    void theMaintainerScriptsAreValidShell() throws IOException, InterruptedException {
        run(folder, "dpkg-deb", "--control", deb(), folder.resolve("control").toString());
        for (String script : new String[] {"postinst", "prerm", "postrm"}) {
            run(folder, "sh", "-n", folder.resolve("control").resolve(script).toString());
        }
    }
}

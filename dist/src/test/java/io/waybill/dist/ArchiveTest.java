package io.waybill.dist;

import static io.waybill.dist.Commands.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive as a user unpacks it. */
class ArchiveTest {
    private static final String VERSION = System.getProperty("waybill.version", "");

    @TempDir
    private static Path folder = Path.of(".");

    @BeforeAll
    static void unpack() throws IOException, InterruptedException {
        run(folder, "tar", "-xzf", System.getProperty("waybill.archive", ""), "-C", folder.toString());
    }

    private static Path unpacked() {
        return folder.resolve("waybill-" + VERSION);
    }

    @Test
    void theProgramPrintsItsVersion() throws IOException, InterruptedException {
        assertThat(run(folder, unpacked().resolve("bin/waybill").toString(), "--version"))
                .startsWith("waybill " + VERSION + " (");
    }

    @Test
    void theProgramPrintsItsHelpWhenStartedByALinkInAnotherFolder() throws IOException, InterruptedException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), unpacked().resolve("bin/waybill"));
        assertThat(run(Files.createDirectories(folder.resolve("elsewhere")), link.toString(), "--help"))
                .contains("Usage:", "relay", "doctor");
    }

    @Test
    void aMissingJavaIsNamedWithItsPackage() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/bash", unpacked().resolve("bin/waybill").toString(), "--help")
                .redirectErrorStream(true);
        Path tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : List.of("dirname", "readlink")) {
            Files.createSymbolicLink(tools.resolve(tool), Path.of("/usr/bin", tool));
        }
        builder.environment().remove("JAVA_HOME");
        builder.environment().put("PATH", tools.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        assertThat(process.inputReader(StandardCharsets.UTF_8).lines())
                .anyMatch(line -> line.contains("Java 17 or newer is missing"))
                .anyMatch(line -> line.contains("apt-get install openjdk-17-jre-headless"));
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @Test
    void bashAcceptsTheCompletion() throws IOException, InterruptedException {
        Path completion = unpacked().resolve("completions/waybill");
        run(folder, "bash", "-n", completion.toString());
        assertThat(run(folder, "bash", "-c", "source '" + completion + "' && complete -p waybill"))
                .contains("waybill");
    }

    @Test
    void theLicenceIsIncluded() {
        assertThat(unpacked().resolve("LICENSE")).content().contains("Apache License");
    }

    @Test
    void theBillOfMaterialsNamesEveryLibrary() throws IOException {
        Path sbom = unpacked().resolve("sbom.cdx.json");
        if (!Files.exists(sbom) && "offline=true".equals(System.getProperty("waybill.maven"))) {
            abort("Maven is offline, and the plugin that writes the bill of materials needs to be online.");
        }
        String text = Files.readString(sbom);
        assertThat(text).containsPattern("\"bomFormat\"\\s*:\\s*\"CycloneDX\"");
        try (var jars = Files.list(unpacked().resolve("lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString()))
                    .isNotEmpty()
                    .allSatisfy(jar -> assertThat(text).contains(jar.replaceFirst("-[0-9].*", "")));
        }
    }
}

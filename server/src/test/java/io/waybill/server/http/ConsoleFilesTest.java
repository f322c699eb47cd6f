package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** The files of the console: complete, small, and without anything that its content policy forbids. */
class ConsoleFilesTest {
    private static final Path FOLDER = Path.of("src/main/resources/io/waybill/server/http/console");
    private static final int LARGEST = 200_000;

    @Test
    void everyModuleAndStyleSheetIsServed() throws IOException {
        assertThat(files().stream()
                        .map(file -> FOLDER.relativize(file).toString())
                        .filter(name -> name.endsWith(".js") || name.endsWith(".css")))
                .containsExactlyInAnyOrderElementsOf(PageRoutes.CONSOLE);
    }

    @Test
    void thePageIsSmall() throws IOException {
        int compressed = 0;
        for (Path file : files()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
                gzip.write(Files.readAllBytes(file));
            }
            compressed += bytes.size();
        }
        assertThat(compressed).isLessThan(LARGEST);
    }

    @Test
    void noModuleInsertsHtmlRunsTextOrNamesAnotherServer() throws IOException {
        for (Path file : files()) {
            if (!file.toString().contains("vendor")) {
                assertThat(Files.readString(file))
                        .as(file.toString())
                        .doesNotContain("innerHTML", "insertAdjacentHTML", "dangerouslySet", "eval(", "new Function")
                        .doesNotContain("http:", "https:", "<style", "<script>", "onclick");
            }
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(FOLDER)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}

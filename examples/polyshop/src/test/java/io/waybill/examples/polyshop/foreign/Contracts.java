package io.waybill.examples.polyshop.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.polyshop.foreign.ShopTopics.Published;
import io.waybill.examples.polyshop.service.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Validates published records with the schema library of the service's own language. */
public final class Contracts {
    private static final List<String> NODE = List.of("node", "test/support/validate.js");
    private static final List<String> PYTHON = List.of(Runtimes.PYTHON, "-m", "tests.validate");

    private Contracts() {}

    public static void requireWithNode(List<Published> records) {
        require(Runtimes.PAYMENT, NODE, records);
    }

    public static void requireWithPython(List<Published> records) {
        require(Runtimes.NOTIFICATION, PYTHON, records);
    }

    private static void require(Path folder, List<String> command, List<Published> records) {
        assertThat(records).isNotEmpty();
        StringBuilder lines = new StringBuilder();
        for (Published published : records) {
            String contract = published.topic().endsWith(".dlt") ? "dead-letter" : published.topic();
            lines.append(Json.write(Map.of("contract", contract, "message", published.json())))
                    .append('\n');
        }
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            try (var input = process.getOutputStream()) {
                input.write(lines.toString().getBytes(UTF_8));
            }
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

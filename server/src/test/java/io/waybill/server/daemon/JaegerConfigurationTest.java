package io.waybill.server.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The configuration of Jaeger is complete, and its page names its ports. Jaeger itself does not run in tests. */
class JaegerConfigurationTest {
    private static final Path FOLDER = Path.of("../monitoring/jaeger");

    @Test
    void everyPartThatIsUsedIsDeclaredAndEveryPortIsDocumented() throws IOException {
        JsonNode jaeger = new YAMLMapper().readTree(Files.readString(FOLDER.resolve("jaeger.yaml")));
        JsonNode traces = jaeger.at("/service/pipelines/traces");
        for (String kind : List.of("receivers", "processors", "exporters")) {
            assertThat(traces.get(kind))
                    .isNotEmpty()
                    .allMatch(part -> jaeger.get(kind).has(part.asString()));
        }
        assertThat(jaeger.at("/service/extensions"))
                .isNotEmpty()
                .allMatch(part -> jaeger.get("extensions").has(part.asString()));
        String storage =
                jaeger.at("/exporters/jaeger_storage_exporter/trace_storage").asString();
        assertThat(jaeger.at("/extensions/jaeger_storage/backends").has(storage))
                .isTrue();
        assertThat(jaeger.at("/extensions/jaeger_query/storage/traces").asString())
                .isEqualTo(storage);

        String page = Files.readString(FOLDER.resolve("README.md"));
        for (String endpoint : List.of(
                "/receivers/otlp/protocols/grpc/endpoint",
                "/receivers/otlp/protocols/http/endpoint",
                "/extensions/jaeger_query/http/endpoint")) {
            String port = jaeger.at(endpoint).asString().replaceFirst(".*:", "");
            assertThat(page).contains("-p 127.0.0.1:" + port + ":" + port);
        }
    }
}

package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.waybill.Event;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** An OpenTelemetry bean is enough: events continue the traces of the application. */
class TracingTest {
    @Test
    void anEventAndItsFollowUpContinueTheTraceOfTheApplication() {
        InMemorySpanExporter spans;
        try (ConfigurableApplicationContext application =
                Apps.run(App.class, SharedServers.freshDatabase(), Apps.WITHOUT_JPA, "waybill.schema=apply")) {
            spans = application.getBean(InMemorySpanExporter.class);
            Span request = application
                    .getBean(OpenTelemetry.class)
                    .getTracer("application")
                    .spanBuilder("request")
                    .startSpan();
            try (Scope current = request.makeCurrent()) {
                assertThat(current).isNotNull();
                application
                        .getBean(TransactionTemplate.class)
                        .executeWithoutResult(status -> application
                                .getBean(TransactionalOutbox.class)
                                .append(Event.of("order.placed", "Order", "42", "{}")));
            } finally {
                request.end();
            }
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> spans.getFinishedSpanItems().size() == 5);
            assertThat(spans.getFinishedSpanItems())
                    .allSatisfy(span -> assertThat(span.getTraceId())
                            .isEqualTo(request.getSpanContext().getTraceId()));
            assertThat(parent(spans, "send order.placed")).isEqualTo("request");
            assertThat(parent(spans, "process order.placed")).isEqualTo("request");
            assertThat(parent(spans, "send order.stocked")).isEqualTo("process order.placed");
            assertThat(parent(spans, "process order.stocked")).isEqualTo("process order.placed");
        }
    }

    private static String parent(InMemorySpanExporter spans, String name) {
        String parent = spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .map(SpanData::getParentSpanId)
                .findFirst()
                .orElseThrow();
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getSpanId().equals(parent))
                .map(SpanData::getName)
                .findFirst()
                .orElseThrow();
    }

    @Configuration
    @EnableAutoConfiguration
    static class App {
        @Bean
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        @Bean
        OpenTelemetrySdk openTelemetry(InMemorySpanExporter exporter) {
            return OpenTelemetrySdk.builder()
                    .setTracerProvider(SdkTracerProvider.builder()
                            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                            .build())
                    .build();
        }

        @Bean
        Handlers handlers(TransactionalOutbox outbox) {
            return new Handlers(outbox);
        }
    }

    static class Handlers {
        private final TransactionalOutbox outbox;

        Handlers(TransactionalOutbox outbox) {
            this.outbox = outbox;
        }

        @InboxHandler("order.placed")
        void placed(Event event) {
            outbox.append(Event.of("order.stocked", "Order", event.key(), "{}"));
        }

        @InboxHandler("order.stocked")
        void stocked(Event event) {}
    }
}

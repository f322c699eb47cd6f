package io.waybill.server.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.relay.RelayListener;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.problem.Problem;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class TracesTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    @Test
    void spansAreExportedToTheReceiverThatTheVariablesName() throws IOException {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/v1/traces", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        Event event = Event.builder("order.placed", "Order", "42")
                .header(Headers.TRACEPARENT, "00-" + TRACE + "-00f067aa0ba902b7-01")
                .build();
        try (Traces traces = Traces.start(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + receiver.getAddress().getPort(),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                "http/protobuf"))) {
            ClaimedEvent claimed = new ClaimedEvent(event, 1, 0, false, Duration.ZERO);
            traces.with(RelayListener.NONE, BrokerKind.KAFKA)
                    .attempted(new PublishOutcome.Published(claimed), null, Duration.ofMillis(3));
        }
        receiver.stop(0);

        assertThat(received).hasSize(1);
        byte[] request = received.remove();
        assertThat(new String(request, StandardCharsets.UTF_8)).contains("waybill", "send order.placed");
        assertThat(HexFormat.of().formatHex(request)).contains(TRACE);
    }

    @Test
    void nothingIsExportedUnlessAVariableAsksForIt() {
        assertThat(Traces.isConfigured(Map.of())).isFalse();
        assertThat(Traces.isConfigured(Map.of("OTEL_SERVICE_NAME", "shop"))).isFalse();
        assertThat(Traces.isConfigured(Map.of("OTEL_TRACES_EXPORTER", "none"))).isFalse();
        assertThat(Traces.isConfigured(Map.of("OTEL_TRACES_EXPORTER", "otlp"))).isTrue();
        assertThat(Traces.isConfigured(
                        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317", "OTEL_SDK_DISABLED", "true")))
                .isFalse();
        try (Traces traces = Traces.start(Map.of())) {
            assertThat(traces.with(RelayListener.NONE, BrokerKind.NATS)).isSameAs(RelayListener.NONE);
        }
    }

    @Test
    void anInvalidVariableIsReported() {
        assertThatThrownBy(() -> Traces.start(Map.of("OTEL_TRACES_EXPORTER", "carrier-pigeon")))
                .isInstanceOf(Problem.class)
                .hasMessageContainingAll("Cannot export traces", "carrier-pigeon", "OTEL_SDK_DISABLED");
    }
}

package io.waybill.server.daemon;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.waybill.internal.Listeners;
import io.waybill.opentelemetry.WaybillTracing;
import io.waybill.relay.RelayListener;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Exports a span for each attempt to publish an event, if the standard OTEL_ variables name a receiver. */
public final class Traces implements AutoCloseable {
    private final Optional<OpenTelemetrySdk> sdk;

    private Traces(Optional<OpenTelemetrySdk> sdk) {
        this.sdk = sdk;
    }

    /** @throws Problem when the value of a variable is invalid */
    public static Traces start(Map<String, String> environment) {
        return new Traces(isConfigured(environment) ? Optional.of(export(environment)) : Optional.empty());
    }

    /** Without a receiver, the libraries are not loaded. By default they would export to a receiver on this machine. */
    static boolean isConfigured(Map<String, String> environment) {
        String exporter = environment.getOrDefault("OTEL_TRACES_EXPORTER", "");
        boolean named = Stream.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
                .anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
        return (named || !exporter.isBlank())
                && !exporter.strip().equals("none")
                && !environment.getOrDefault("OTEL_SDK_DISABLED", "").equalsIgnoreCase("true");
    }

    private static OpenTelemetrySdk export(Map<String, String> environment) {
        try {
            return AutoConfiguredOpenTelemetrySdk.builder()
                    .addPropertiesSupplier(() -> Map.of(
                            "otel.service.name", "waybill",
                            "otel.metrics.exporter", "none",
                            "otel.logs.exporter", "none"))
                    .addPropertiesCustomizer(given -> properties(environment))
                    .disableShutdownHook() // the daemon closes it after the relay
                    .build()
                    .getOpenTelemetrySdk();
        } catch (ConfigurationException e) {
            throw new Problem(
                    Exit.USAGE,
                    "Cannot export traces: " + e.getMessage() + " Correct the OTEL_ variables, or set"
                            + " OTEL_SDK_DISABLED=true.",
                    e);
        }
    }

    /** Returns the variables under the names that the SDK gives them. */
    private static Map<String, String> properties(Map<String, String> environment) {
        return environment.entrySet().stream()
                .filter(variable -> variable.getKey().startsWith("OTEL_"))
                .collect(Collectors.toMap(
                        variable -> variable.getKey().toLowerCase(Locale.ROOT).replace('_', '.'), Map.Entry::getValue));
    }

    /** Returns the listener, or the listener and one that reports spans. */
    public RelayListener with(RelayListener listener, BrokerKind broker) {
        String system = broker.name().toLowerCase(Locale.ROOT);
        return sdk.map(started -> Listeners.all(
                        RelayListener.class,
                        List.of(listener, WaybillTracing.with(started).relay(system))))
                .orElse(listener);
    }

    /** Sends the spans that are not exported yet, for at most ten seconds. */
    @Override
    public void close() {
        sdk.ifPresent(OpenTelemetrySdk::close);
    }
}

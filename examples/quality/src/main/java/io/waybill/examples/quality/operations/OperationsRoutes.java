package io.waybill.examples.quality.operations;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints for monitoring: liveness, readiness and metrics. */
@RestController
class OperationsRoutes {
    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final Readiness readiness;
    private final PrometheusMeterRegistry registry;

    OperationsRoutes(Readiness readiness, PrometheusMeterRegistry registry) {
        this.readiness = readiness;
        this.registry = registry;
    }

    @GetMapping({"/health", "/healthz"})
    Map<String, String> health() {
        return Map.of("status", "ok");
    }

    @GetMapping("/readyz")
    ResponseEntity<Readiness.Report> ready() {
        Readiness.Report report = readiness.check();
        return ResponseEntity.status(report.ready() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                .body(report);
    }

    @GetMapping(path = "/metrics", produces = PROMETHEUS_TEXT)
    String metrics() {
        return registry.scrape(PROMETHEUS_TEXT);
    }
}

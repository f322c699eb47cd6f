package io.waybill.examples.quality.audit;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.examples.quality.QualityProperties;
import io.waybill.spring.InboxHandler;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;

/** Writes the audit trail: one row per event, in one transaction with the mark that the event was handled. */
@Component
class AuditHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(AuditHandlers.class);

    private final AuditService audit;
    private final Set<String> failing;

    AuditHandlers(AuditService audit, QualityProperties properties) {
        this.audit = audit;
        this.failing = properties.chaos().failingHandlers();
    }

    @InboxHandler({"NC_CREATED", "NC_CLOSED"})
    void nonconformity(Nonconformity about, Event event) {
        record(event, about.ncId());
    }

    @InboxHandler("SUPPLIER_CERT_UPDATED")
    void supplier(Supplier about, Event event) {
        record(event, about.supplierId());
    }

    private void record(Event event, long entityId) {
        String request = event.headers().getOrDefault(Headers.CORRELATION_ID, "");
        MDC.put("request_id", request);
        try {
            audit.handled(event, entityId);
            if (failing.contains(event.type())) {
                throw new IllegalStateException("quality.chaos.failing-handlers names " + event.type() + ".");
            }
            LOG.info("Handled {}", event);
        } finally {
            MDC.remove("request_id");
        }
    }

    /** The fields of a payload that the trail needs; all others are ignored. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Nonconformity(long ncId) {}

    /** The fields of a payload that the trail needs; all others are ignored. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Supplier(long supplierId) {}
}

package io.waybill.examples.quality.audit;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.examples.quality.web.Slice;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Writes and reads the audit trail, in the caller's transaction. */
@Service
@Transactional(propagation = Propagation.MANDATORY)
class AuditService {
    private static final String SYSTEM = "system";

    private final AuditRepository entries;
    private final Clock clock;

    AuditService(AuditRepository entries, Clock clock) {
        this.entries = entries;
        this.clock = clock;
    }

    void handled(Event event, long entityId) {
        String action = event.type() + "_HANDLED";
        entries.save(new AuditEntry(SYSTEM, action, event.aggregateType(), entityId, meta(event), clock.instant()));
    }

    List<AuditView> newest(Slice slice) {
        return entries.slice(slice.rows(), slice.skipped()).stream()
                .map(AuditEntry::view)
                .toList();
    }

    long count() {
        return entries.count();
    }

    private static Map<String, String> meta(Event event) {
        Map<String, String> meta = new TreeMap<>(Map.of("event_id", event.id().toString()));
        copy(event, Headers.CORRELATION_ID, meta, "request_id");
        copy(event, Headers.TRACEPARENT, meta, "traceparent");
        copy(event, Headers.USER_ID, meta, "requested_by");
        return meta;
    }

    private static void copy(Event event, String header, Map<String, String> meta, String name) {
        String value = event.headers().get(header);
        if (value != null) {
            meta.put(name, value);
        }
    }
}

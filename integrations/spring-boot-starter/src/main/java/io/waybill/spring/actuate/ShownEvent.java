package io.waybill.spring.actuate;

import io.waybill.Event;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** An event as the endpoint shows it; fields that lists leave out are null. */
record ShownEvent(
        UUID id,
        String type,
        String aggregateType,
        String key,
        String topic,
        EventState state,
        int retryCount,
        Instant createdAt,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant settledAt,
        @Nullable String lastError,
        @Nullable String lockedBy,
        @Nullable Map<String, String> headers,
        @Nullable String payload,
        @Nullable List<AuditEntry> history)
        implements OperationResponseBody {

    /** Leaves out the payload, which can be personal data: only a request for this one event shows it. */
    static ShownEvent brief(EventRecord record) {
        return of(record, null, null, null);
    }

    static ShownEvent whole(EventRecord record, List<AuditEntry> history) {
        return of(record, record.event().headers(), record.event().payload(), history);
    }

    private static ShownEvent of(
            EventRecord record,
            @Nullable Map<String, String> headers,
            @Nullable String payload,
            @Nullable List<AuditEntry> history) {
        Event event = record.event();
        return new ShownEvent(
                event.id(),
                event.type(),
                event.aggregateType(),
                event.key(),
                event.destination(),
                record.state(),
                record.retryCount(),
                record.createdAt(),
                record.nextAttemptAt(),
                record.settledAt(),
                record.lastError(),
                record.lockedBy(),
                headers,
                payload,
                history);
    }
}

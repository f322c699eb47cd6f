package io.waybill.examples.logistics.outbox;

import io.waybill.examples.logistics.LogisticsProperties;
import io.waybill.examples.logistics.WrongSettingException;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Writes an event into the outbox, in the transaction of the change that it reports. */
@Service
public class OutboxService {
    private static final String INSERT = """
            INSERT INTO outbox_events (id, tenant_id, aggregate_type, aggregate_id, event_type, payload)
            VALUES (?, ?, ?, ?, ?, CAST(? AS jsonb))""";

    private final JdbcClient jdbc;
    private final JsonMapper json;
    private final Publishing publishing;
    private final DirectPublisher direct;

    OutboxService(
            JdbcClient jdbc,
            JsonMapper json,
            LogisticsProperties settings,
            DirectPublisher direct,
            @Value("${waybill.relay.enabled:true}") boolean relay) {
        this.jdbc = jdbc;
        this.json = json;
        this.publishing = settings.publishing();
        this.direct = direct;
        if (relay && publishing.sendsDirectly()) {
            throw new WrongSettingException(
                    "The relay would publish events a second time that the service sends directly.",
                    "Set waybill.relay.enabled=false, or logistics.publishing=outbox.");
        }
    }

    /** @param payload written as JSON */
    @Transactional(propagation = Propagation.MANDATORY)
    public void emit(UUID tenant, String aggregateType, UUID aggregateId, String eventType, Object payload) {
        UUID id = UUID.randomUUID();
        String text = json.writeValueAsString(payload);
        if (publishing.writesRow()) {
            jdbc.sql(INSERT)
                    .params(id, tenant, aggregateType, aggregateId, eventType, text)
                    .update();
        }
        if (publishing.sendsDirectly()) {
            direct.sendAfterCommit(
                    new OutgoingEvent(id, tenant, aggregateType, aggregateId, eventType, text), publishing);
        }
    }
}

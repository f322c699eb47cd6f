package io.waybill.examples.quality.audit;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Map;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** A row of the audit trail: the action, its actor, its entity and its request. */
@Entity
@Table(name = "audit_log")
public class AuditEntry {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    private String actor = "";
    private String action = "";
    private String entityType = "";
    private long entityId;

    @JdbcTypeCode(SqlTypes.JSON)
    @Column(name = "meta_json")
    private Map<String, String> meta = Map.of();

    private Instant createdAt = Instant.EPOCH;

    /** For Hibernate. */
    protected AuditEntry() {}

    AuditEntry(
            String actor,
            String action,
            String entityType,
            long entityId,
            Map<String, String> meta,
            Instant createdAt) {
        this.actor = actor;
        this.action = action;
        this.entityType = entityType;
        this.entityId = entityId;
        this.meta = meta;
        this.createdAt = createdAt;
    }

    AuditView view() {
        return new AuditView(id == null ? 0 : id, actor, action, entityType, entityId, meta, createdAt);
    }
}

package io.waybill.examples.quality.nonconformities;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A delivery of a supplier that does not meet the agreed quality. */
@Entity
@Table(name = "nonconformities")
public class Nonconformity {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    private long supplierId;

    @Enumerated(EnumType.STRING)
    private Severity severity = Severity.LOW;

    @Enumerated(EnumType.STRING)
    private Status status = Status.OPEN;

    private String description = "";
    private Instant createdAt = Instant.EPOCH;

    /** For Hibernate. */
    protected Nonconformity() {}

    Nonconformity(long supplierId, Severity severity, String description, Instant createdAt) {
        this.supplierId = supplierId;
        this.severity = severity;
        this.description = description;
        this.createdAt = createdAt;
    }

    /** @return whether it was open before */
    boolean close() {
        boolean open = status == Status.OPEN;
        status = Status.CLOSED;
        return open;
    }

    NonconformityView view() {
        return new NonconformityView(id(), supplierId, severity, status, description, createdAt);
    }

    long id() {
        if (id == null) {
            throw new IllegalStateException("The non-conformity is not stored yet.");
        }
        return id;
    }
}

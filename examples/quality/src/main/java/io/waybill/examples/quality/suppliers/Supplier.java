package io.waybill.examples.quality.suppliers;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** A supplier of parts, with the expiry of its certification. */
@Entity
@Table(name = "suppliers")
public class Supplier {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    private String name = "";
    private @Nullable LocalDate certificationExpiry;
    private Instant createdAt = Instant.EPOCH;

    /** For Hibernate. */
    protected Supplier() {}

    Supplier(String name, @Nullable LocalDate certificationExpiry, Instant createdAt) {
        this.name = name;
        this.certificationExpiry = certificationExpiry;
        this.createdAt = createdAt;
    }

    void certify(@Nullable LocalDate until) {
        certificationExpiry = until;
    }

    boolean expired(LocalDate today) {
        return certificationExpiry != null && certificationExpiry.isBefore(today);
    }

    SupplierView view() {
        return new SupplierView(id(), name, certificationExpiry, createdAt);
    }

    long id() {
        if (id == null) {
            throw new IllegalStateException("Supplier " + name + " is not stored yet.");
        }
        return id;
    }
}

package io.waybill.examples.quality.audit;

import java.util.List;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** The audit trail. Rows are only added, never changed. */
public interface AuditRepository extends Repository<AuditEntry, Long> {
    AuditEntry save(AuditEntry entry);

    long count();

    @Query("select a from AuditEntry a order by a.id desc limit :limit offset :offset")
    List<AuditEntry> slice(int limit, int offset);
}

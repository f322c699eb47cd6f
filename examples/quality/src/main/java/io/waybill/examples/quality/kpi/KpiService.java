package io.waybill.examples.quality.kpi;

import static io.waybill.examples.quality.nonconformities.Severity.HIGH;
import static io.waybill.examples.quality.nonconformities.Status.CLOSED;
import static io.waybill.examples.quality.nonconformities.Status.OPEN;

import io.waybill.examples.quality.audit.AuditRepository;
import io.waybill.examples.quality.nonconformities.NonconformityRepository;
import io.waybill.examples.quality.suppliers.SupplierRepository;
import io.waybill.examples.quality.worker.Backlog;
import io.waybill.examples.quality.worker.Backlogs;
import java.time.Clock;
import java.time.LocalDate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Computes the key figures, in the caller's transaction. */
@Service
@Transactional(propagation = Propagation.MANDATORY)
class KpiService {
    private final NonconformityRepository nonconformities;
    private final SupplierRepository suppliers;
    private final AuditRepository audit;
    private final Backlogs backlogs;
    private final Clock clock;

    KpiService(
            NonconformityRepository nonconformities,
            SupplierRepository suppliers,
            AuditRepository audit,
            Backlogs backlogs,
            Clock clock) {
        this.nonconformities = nonconformities;
        this.suppliers = suppliers;
        this.audit = audit;
        this.backlogs = backlogs;
        this.clock = clock;
    }

    Kpi now() {
        Backlog backlog = backlogs.now();
        return new Kpi(
                nonconformities.countMatching(OPEN, null),
                nonconformities.countMatching(OPEN, HIGH),
                nonconformities.countMatching(CLOSED, null),
                backlog.unprocessed(),
                backlog.failed(),
                suppliers.countAtRisk(LocalDate.now(clock)),
                audit.count());
    }
}

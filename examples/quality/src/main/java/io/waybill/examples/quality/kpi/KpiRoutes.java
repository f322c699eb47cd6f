package io.waybill.examples.quality.kpi;

import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /kpi}: one snapshot, so that the figures are consistent. */
@RestController
class KpiRoutes {
    private final KpiService kpis;

    KpiRoutes(KpiService kpis) {
        this.kpis = kpis;
    }

    @GetMapping("/kpi")
    @Transactional(readOnly = true, isolation = Isolation.REPEATABLE_READ)
    Kpi now() {
        return kpis.now();
    }
}

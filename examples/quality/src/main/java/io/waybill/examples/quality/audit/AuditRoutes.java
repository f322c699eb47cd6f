package io.waybill.examples.quality.audit;

import io.waybill.examples.quality.web.Slice;
import jakarta.validation.Valid;
import java.util.List;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /audit-log}, newest first. */
@RestController
class AuditRoutes {
    private final AuditService audit;

    AuditRoutes(AuditService audit) {
        this.audit = audit;
    }

    @GetMapping("/audit-log")
    @Transactional(readOnly = true)
    ResponseEntity<List<AuditView>> list(@Valid @ParameterObject Slice slice) {
        return Slice.answer(audit.newest(slice), audit.count());
    }
}

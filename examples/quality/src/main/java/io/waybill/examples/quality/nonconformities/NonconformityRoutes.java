package io.waybill.examples.quality.nonconformities;

import io.waybill.examples.quality.web.RequestTrace;
import io.waybill.examples.quality.web.Slice;
import jakarta.validation.Valid;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /ncs}. Each route owns the one transaction of its request. */
@RestController
@RequestMapping("/ncs")
class NonconformityRoutes {
    private final NonconformityService nonconformities;

    NonconformityRoutes(NonconformityService nonconformities) {
        this.nonconformities = nonconformities;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    NonconformityView create(@Valid @RequestBody NewNonconformity body, RequestTrace trace) {
        return nonconformities.create(body, trace.id());
    }

    @PatchMapping("/{id}/close")
    @Transactional
    NonconformityView close(@PathVariable long id, RequestTrace trace) {
        return nonconformities.close(id, trace.id());
    }

    @GetMapping
    @Transactional(readOnly = true)
    ResponseEntity<List<NonconformityView>> list(
            @RequestParam @Nullable Status status,
            @RequestParam @Nullable Severity severity,
            @Valid @ParameterObject Slice slice) {
        return Slice.answer(nonconformities.list(status, severity, slice), nonconformities.count(status, severity));
    }
}

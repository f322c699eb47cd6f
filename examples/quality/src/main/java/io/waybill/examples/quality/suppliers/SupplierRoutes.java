package io.waybill.examples.quality.suppliers;

import io.waybill.examples.quality.web.RequestTrace;
import io.waybill.examples.quality.web.Slice;
import jakarta.validation.Valid;
import java.util.List;
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
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /suppliers}. Each route owns the one transaction of its request. */
@RestController
@RequestMapping("/suppliers")
class SupplierRoutes {
    private final SupplierService suppliers;

    SupplierRoutes(SupplierService suppliers) {
        this.suppliers = suppliers;
    }

    /** Adds a supplier. */
    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    SupplierView create(@Valid @RequestBody NewSupplier body) {
        return suppliers.create(body);
    }

    @GetMapping
    @Transactional(readOnly = true)
    ResponseEntity<List<SupplierView>> list(@Valid @ParameterObject Slice slice) {
        return Slice.answer(suppliers.list(slice), suppliers.count());
    }

    @GetMapping("/{id}")
    @Transactional(readOnly = true)
    SupplierDetails one(@PathVariable long id) {
        return suppliers.details(id);
    }

    @PatchMapping("/{id}/certification")
    @Transactional
    SupplierView certify(@PathVariable long id, @Valid @RequestBody CertificationChange body, RequestTrace trace) {
        return suppliers.certify(id, body.certificationExpiry(), trace.id());
    }
}

package io.waybill.examples.quality.suppliers;

import io.waybill.examples.quality.web.RefusedException;
import io.waybill.examples.quality.web.Slice;
import io.waybill.spring.EventFactory;
import io.waybill.spring.TransactionalOutbox;
import java.time.Clock;
import java.time.LocalDate;
import java.util.List;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Operations on suppliers, in the caller's transaction. */
@Service
@Transactional(propagation = Propagation.MANDATORY)
class SupplierService {
    private final SupplierRepository suppliers;
    private final TransactionalOutbox outbox;
    private final EventFactory events;
    private final Clock clock;

    SupplierService(SupplierRepository suppliers, TransactionalOutbox outbox, EventFactory events, Clock clock) {
        this.suppliers = suppliers;
        this.outbox = outbox;
        this.events = events;
        this.clock = clock;
    }

    /** The unique constraint decides whether a name is taken, because two requests can use it at the same time. */
    SupplierView create(NewSupplier body) {
        try {
            return suppliers
                    .saveAndFlush(new Supplier(body.name(), body.certificationExpiry(), clock.instant()))
                    .view();
        } catch (DataIntegrityViolationException taken) {
            throw RefusedException.bad("There is a supplier of this name already.");
        }
    }

    List<SupplierView> list(Slice slice) {
        return suppliers.slice(slice.rows(), slice.skipped()).stream()
                .map(Supplier::view)
                .toList();
    }

    long count() {
        return suppliers.count();
    }

    SupplierDetails details(long id) {
        Supplier supplier = suppliers.findById(id).orElseThrow(() -> RefusedException.notFound("supplier", id));
        return SupplierDetails.of(supplier.view(), supplier.expired(LocalDate.now(clock)), suppliers.tally(id));
    }

    /** Locks the supplier, so that the events of two changes come in the order of the changes. */
    SupplierView certify(long id, LocalDate until, String requestId) {
        Supplier supplier = suppliers.lock(id).orElseThrow(() -> RefusedException.notFound("supplier", id));
        supplier.certify(until);
        outbox.append(events.create(
                "SUPPLIER_CERT_UPDATED", "Supplier", "supplier-" + id, new SupplierCertUpdated(id, until, requestId)));
        return supplier.view();
    }
}

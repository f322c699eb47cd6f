package io.waybill.examples.quality.nonconformities;

import io.waybill.examples.quality.suppliers.SupplierRepository;
import io.waybill.examples.quality.web.RefusedException;
import io.waybill.examples.quality.web.Slice;
import io.waybill.spring.EventFactory;
import io.waybill.spring.TransactionalOutbox;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Operations on non-conformities, in the caller's transaction. */
@Service
@Transactional(propagation = Propagation.MANDATORY)
class NonconformityService {
    private final NonconformityRepository nonconformities;
    private final SupplierRepository suppliers;
    private final TransactionalOutbox outbox;
    private final EventFactory events;
    private final Clock clock;

    NonconformityService(
            NonconformityRepository nonconformities,
            SupplierRepository suppliers,
            TransactionalOutbox outbox,
            EventFactory events,
            Clock clock) {
        this.nonconformities = nonconformities;
        this.suppliers = suppliers;
        this.outbox = outbox;
        this.events = events;
        this.clock = clock;
    }

    NonconformityView create(NewNonconformity body, String requestId) {
        if (!suppliers.existsById(body.supplierId())) {
            throw RefusedException.bad("There is no supplier " + body.supplierId() + ".");
        }
        Nonconformity created = nonconformities.saveAndFlush(
                new Nonconformity(body.supplierId(), body.severity(), body.description(), clock.instant()));
        append("NC_CREATED", created, new NcCreated(created.id(), body.supplierId(), body.severity(), requestId));
        return created.view();
    }

    /** Locks the row: of two requests that close it at the same time, the second finds it closed and appends no event. */
    NonconformityView close(long id, String requestId) {
        Nonconformity found =
                nonconformities.lock(id).orElseThrow(() -> RefusedException.notFound("non-conformity", id));
        if (found.close()) {
            append("NC_CLOSED", found, new NcClosed(id, requestId));
        }
        return found.view();
    }

    List<NonconformityView> list(@Nullable Status status, @Nullable Severity severity, Slice slice) {
        return nonconformities.slice(status, severity, slice.rows(), slice.skipped()).stream()
                .map(Nonconformity::view)
                .toList();
    }

    long count(@Nullable Status status, @Nullable Severity severity) {
        return nonconformities.countMatching(status, severity);
    }

    /** The key contains the kind of entity: suppliers have the same numbers, and their events must not wait for each other. */
    private void append(String type, Nonconformity about, Object payload) {
        outbox.append(events.create(type, "NonConformity", "nc-" + about.id(), payload));
    }
}

package io.waybill.server.http.overview;

import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.saga.admin.SagaTotals;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An outbox at one moment.
 *
 * @param inPerSecond null until there are two samples
 */
record Overview(
        String outbox,
        OutboxStatus status,
        List<InboxStatus> inbox,
        Optional<SagaTotals> sagas,
        List<OutboxPause> pauses,
        @Nullable Double inPerSecond) {

    List<Reason> reasons() {
        return Reasons.of(status, inbox, sagas, pauses);
    }
}

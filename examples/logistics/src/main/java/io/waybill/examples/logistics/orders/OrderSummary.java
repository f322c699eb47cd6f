package io.waybill.examples.logistics.orders;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An order in a list, without its parcels. */
record OrderSummary(
        UUID id,
        String customerName,
        Address deliveryAddress,
        @Nullable Money freight,
        String status,
        Instant createdAt) {

    OrderView withParcels(List<OrderView.Parcel> parcels) {
        return new OrderView(id, customerName, deliveryAddress, freight, parcels, status, createdAt);
    }
}

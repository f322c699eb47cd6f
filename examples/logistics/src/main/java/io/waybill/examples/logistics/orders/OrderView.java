package io.waybill.examples.logistics.orders;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An order as clients see it; also the payload of its events. */
record OrderView(
        UUID id,
        String customerName,
        Address deliveryAddress,
        @Nullable Money freight,
        List<Parcel> parcels,
        String status,
        Instant createdAt) {

    /** @param freightMinor the parcel's share of the freight */
    record Parcel(int number, long weightGrams, long freightMinor) {}
}

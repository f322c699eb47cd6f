package io.waybill.examples.quality.suppliers;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/**
 * A supplier with its non-conformities and its risk.
 *
 * @param isAtRisk its certification has expired, or a non-conformity of high severity is open
 */
record SupplierDetails(
        @JsonUnwrapped SupplierView supplier, long ncTotal, long ncOpen, long ncOpenHigh, boolean isAtRisk) {

    static SupplierDetails of(SupplierView supplier, boolean expired, Tally tally) {
        return new SupplierDetails(
                supplier, tally.total(), tally.open(), tally.openHigh(), expired || tally.openHigh() > 0);
    }
}

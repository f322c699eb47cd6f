package io.waybill.examples.quality.suppliers;

import java.time.LocalDate;

/** Payload of SUPPLIER_CERT_UPDATED. */
record SupplierCertUpdated(long supplierId, LocalDate certificationExpiry, String requestId) {}

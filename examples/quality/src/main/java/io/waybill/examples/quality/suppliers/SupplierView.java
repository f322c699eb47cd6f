package io.waybill.examples.quality.suppliers;

import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** A supplier as lists show it. */
record SupplierView(long id, String name, @Nullable LocalDate certificationExpiry, Instant createdAt) {}

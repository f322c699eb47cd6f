package io.waybill.examples.quality.suppliers;

import io.waybill.examples.quality.web.Text;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** Body of {@code POST /suppliers}. */
record NewSupplier(@Text(max = 200) String name, @Nullable LocalDate certificationExpiry) {}

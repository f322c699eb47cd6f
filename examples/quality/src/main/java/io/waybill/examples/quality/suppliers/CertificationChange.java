package io.waybill.examples.quality.suppliers;

import jakarta.validation.constraints.NotNull;
import java.time.LocalDate;

/** Body of {@code PATCH /suppliers/{id}/certification}. */
record CertificationChange(@NotNull LocalDate certificationExpiry) {}

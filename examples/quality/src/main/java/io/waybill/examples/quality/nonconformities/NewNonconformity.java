package io.waybill.examples.quality.nonconformities;

import io.waybill.examples.quality.web.Text;
import jakarta.validation.constraints.NotNull;

/** Body of {@code POST /ncs}. */
record NewNonconformity(
        @NotNull Long supplierId,
        @NotNull Severity severity,
        @Text(max = 2000) String description) {}

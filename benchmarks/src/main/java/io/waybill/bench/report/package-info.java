/** Figures as a table, as JSON and as a chart. */
@NullMarked
package io.waybill.bench.report;

import org.jspecify.annotations.NullMarked;

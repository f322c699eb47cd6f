/** Figures of a run, and the check without which there are none. */
@NullMarked
package io.waybill.bench.measure;

import org.jspecify.annotations.NullMarked;

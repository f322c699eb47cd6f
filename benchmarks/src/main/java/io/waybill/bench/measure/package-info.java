/** The figures of a run and the check of its result. */
@NullMarked
package io.waybill.bench.measure;

import org.jspecify.annotations.NullMarked;

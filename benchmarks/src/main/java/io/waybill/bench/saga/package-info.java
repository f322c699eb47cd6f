/** Sagas of three commands, run by Waybill and by hand-written code that makes the same commits. */
@NullMarked
package io.waybill.bench.saga;

import org.jspecify.annotations.NullMarked;

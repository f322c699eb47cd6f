/** Tells people and programs what happened in a run. */
@NullMarked
package io.waybill.chaos.report;

import org.jspecify.annotations.NullMarked;

/** Reports of a run for people and for programs. */
@NullMarked
package io.waybill.chaos.report;

import org.jspecify.annotations.NullMarked;

/** Which faults a run injects and when, and their injection at those times. */
@NullMarked
package io.waybill.chaos.schedule;

import org.jspecify.annotations.NullMarked;

/** The faults, one class each. */
@NullMarked
package io.waybill.chaos.fault;

import org.jspecify.annotations.NullMarked;

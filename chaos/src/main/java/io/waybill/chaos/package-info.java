/** Breaks everything around Waybill on purpose, and checks what Waybill promises. */
@NullMarked
package io.waybill.chaos;

import org.jspecify.annotations.NullMarked;

/** Drives real parts, kills them, and checks what Waybill promises; the numbers R1 to R18 are those of the acceptance page. */
@NullMarked
package io.waybill.acceptance;

import org.jspecify.annotations.NullMarked;

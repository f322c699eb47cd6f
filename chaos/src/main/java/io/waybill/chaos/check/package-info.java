/** Looks at a world and judges it. */
@NullMarked
package io.waybill.chaos.check;

import org.jspecify.annotations.NullMarked;

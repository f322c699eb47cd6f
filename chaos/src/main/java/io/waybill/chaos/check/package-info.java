/** Checks of a cluster. */
@NullMarked
package io.waybill.chaos.check;

import org.jspecify.annotations.NullMarked;

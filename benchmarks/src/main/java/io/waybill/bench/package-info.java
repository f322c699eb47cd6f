/** Measures Waybill beside the bare loops that it must not fall behind, in the same run. */
@NullMarked
package io.waybill.bench;

import org.jspecify.annotations.NullMarked;

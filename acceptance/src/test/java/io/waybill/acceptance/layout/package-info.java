/** Relays on tables that applications already have. */
@NullMarked
package io.waybill.acceptance.layout;

import org.jspecify.annotations.NullMarked;

/** Stock, reservations and movements. */
@NullMarked
package io.waybill.examples.polyshop.inventory;

import org.jspecify.annotations.NullMarked;

/** Products and their variants. */
@NullMarked
package io.waybill.examples.polyshop.product;

import org.jspecify.annotations.NullMarked;

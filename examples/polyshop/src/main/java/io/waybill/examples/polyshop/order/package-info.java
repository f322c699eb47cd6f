/** Orders and the saga that places them. */
@NullMarked
package io.waybill.examples.polyshop.order;

import org.jspecify.annotations.NullMarked;

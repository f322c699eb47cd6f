/** Tests of the payment service. */
@NullMarked
package io.waybill.examples.polyshop.payment;

import org.jspecify.annotations.NullMarked;

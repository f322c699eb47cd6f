/** A shop of eight services in three languages. */
@NullMarked
package io.waybill.examples.polyshop;

import org.jspecify.annotations.NullMarked;

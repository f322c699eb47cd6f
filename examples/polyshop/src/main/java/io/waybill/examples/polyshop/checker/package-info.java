/** Compares the databases of all services. */
@NullMarked
package io.waybill.examples.polyshop.checker;

import org.jspecify.annotations.NullMarked;

/** Services in other languages, as processes that tests start and kill. */
@NullMarked
package io.waybill.examples.polyshop.foreign;

import org.jspecify.annotations.NullMarked;

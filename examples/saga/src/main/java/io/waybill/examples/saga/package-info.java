/** An order over three participants: stock, payment and delivery, each with a database schema of its own. */
@NullMarked
package io.waybill.examples.saga;

import org.jspecify.annotations.NullMarked;

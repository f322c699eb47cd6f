/** Saga engines, broker and database are killed. */
@NullMarked
package io.waybill.acceptance.saga;

import org.jspecify.annotations.NullMarked;

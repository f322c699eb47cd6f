/** The queue engine: every event is a row that changes its state. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.queue;

import org.jspecify.annotations.NullMarked;

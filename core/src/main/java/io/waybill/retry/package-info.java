/** When a failing event is retried. The relay and the inbox use the same policy. */
@NullMarked
package io.waybill.retry;

import org.jspecify.annotations.NullMarked;

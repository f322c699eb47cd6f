/** Consumers under faults, on every broker. */
@NullMarked
package io.waybill.acceptance.inbox;

import org.jspecify.annotations.NullMarked;

/** Applies events, and records the failures of handlers. Not an API. */
@NullMarked
package io.waybill.inbox.internal.handling;

import org.jspecify.annotations.NullMarked;

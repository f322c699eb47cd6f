/** Pauses a group while its database or too many of its handlers fail. Not an API. */
@NullMarked
package io.waybill.inbox.internal.breaker;

import org.jspecify.annotations.NullMarked;

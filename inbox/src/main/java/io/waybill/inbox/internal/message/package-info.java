/** Reads messages as events, and shortens or wraps those that become dead letters. Not an API. */
@NullMarked
package io.waybill.inbox.internal.message;

import org.jspecify.annotations.NullMarked;

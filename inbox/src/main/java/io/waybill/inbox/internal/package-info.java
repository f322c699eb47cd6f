/** Shared code of the consumers of brokers. Not an API. */
@NullMarked
package io.waybill.inbox.internal;

import org.jspecify.annotations.NullMarked;

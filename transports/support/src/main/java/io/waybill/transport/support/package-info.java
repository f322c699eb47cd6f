/** Shared code of the transports: messages in flight, connections to brokers, threads. Not an API. */
@NullMarked
package io.waybill.transport.support;

import org.jspecify.annotations.NullMarked;

/** What transports share: a message on its way, those without a result, threads. No API. */
@NullMarked
package io.waybill.transport.support;

import org.jspecify.annotations.NullMarked;

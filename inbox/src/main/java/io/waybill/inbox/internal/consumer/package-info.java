/** Code shared by the consumers of all brokers. Not an API. */
@NullMarked
package io.waybill.inbox.internal.consumer;

import org.jspecify.annotations.NullMarked;

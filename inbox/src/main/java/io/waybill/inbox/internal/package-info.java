/** What consumers of brokers share. No API. */
@NullMarked
package io.waybill.inbox.internal;

import org.jspecify.annotations.NullMarked;
